import { type APIOptions, type Definition, flatten, type Operations } from "./definition.ts";
import { planOperation } from "./plan/plan.ts";

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
export function api<const D extends Operations>(base: string, operations: D, options: APIOptions = {}): Definition<D> {
  const plans = flatten(operations).map(([name, operation]) => planOperation(name, operation, options));
  return { base, operations, options, plans };
}
