import { type APIOptions, type Definition, flatten, type Operations } from "./definition.ts";
import { type DefinitionParts, planOperation } from "./plan/plan.ts";

/**
 * Defines an API without looking for what is wrong with it, which takes a fraction of the code: for clients, and for servers whose tests have
 * made the same definition with the `api` of `./mod.ts`. The full `handler` still checks it.
 *
 * @param base Where a client finds it unless told otherwise; without a scheme it is https
 *
 * @example
 * ```ts
 * import { api, link, rest } from "./client.ts";
 * import { z } from "npm:zod@4.6.7";
 *
 * const greeter = api("greeter.example.com", { Greet: rest("GET /hello/{name=%v}", [z.string()], [z.string()]) });
 * const client = link(greeter, "http://localhost", {
 *   fetch: ({ url }) => Promise.resolve(new Response(`hello ${url.split("/").at(-1)}`)),
 * });
 * console.assert(await client.Greet("ann") === "hello ann");
 * ```
 */
export function api<const D extends Operations>(base: string, operations: D, options?: APIOptions): Definition<D> {
  return apiWith({}, base, operations, options);
}

/**
 * {@linkcode api} with the parts that its definition needs: `?%v` in a tag takes `spreadQuery`, and bigint, Date and bytes within objects and lists,
 * which `exactJSON` carries, take `exactKinds`. The `api` of `./mod.ts` has them all.
 *
 * @throws {SyntaxError} when a tag has not even the outline of one
 * @throws {TypeError} when a tag takes a part that is not given
 *
 * @example
 * ```ts
 * import { apiWith, linkWith, rest, spreadQuery } from "./client.ts";
 * import { z } from "npm:zod@4.6.7";
 *
 * const Page = z.object({ from: z.number(), size: z.number() });
 * const pages = apiWith({ spread: spreadQuery }, "pages.example.com", { Read: rest("GET /pages?%v", [Page], [z.string()]) });
 * const client = linkWith({}, pages, "http://localhost", { fetch: ({ url }) => Promise.resolve(new Response(url)) });
 * console.assert(await client.Read({ from: 1, size: 2 }) === "http://localhost/pages?from=1&size=2");
 * ```
 */
export function apiWith<const D extends Operations>(
  parts: DefinitionParts,
  base: string,
  operations: D,
  options: APIOptions = {},
): Definition<D> {
  const plans = flatten(operations).map(([name, operation]) => planOperation(name, operation, options, parts));
  return { base, operations, options, plans };
}
