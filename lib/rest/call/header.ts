import { type Client, DIRECT } from "./core_client.ts";

/**
 * A client that adds a header to every request. One that the call itself brings, in its `headers` or by its arguments, stays.
 *
 * @param client What sends it then: `fetch` unless told otherwise
 *
 * @example
 * ```ts
 * import { header } from "../mod.ts";
 *
 * const seen: (string | null)[] = [];
 * const client = header("Authorization", "Bearer secret", {
 *   fetch({ headers }) {
 *     seen.push(headers.get("authorization"));
 *     return Promise.resolve(new Response());
 *   },
 * });
 * await client.fetch(new Request("http://localhost/"));
 * await client.fetch(new Request("http://localhost/", { headers: { authorization: "Bearer other" } }));
 * console.assert(seen.join() === "Bearer secret,Bearer other");
 * ```
 */
export function header(name: string, value: string, client: Client = DIRECT): Client {
  const add = (request: Request) => {
    const headers = new Headers(request.headers);
    // These two the transport sets itself, so that they say nothing of the call.
    if (/^(accept|content-type)$/i.test(name) || !headers.has(name)) headers.set(name, value);
    return new Request(request, { headers });
  };
  return {
    ...client,
    fetch: (request) => client.fetch(add(request)),
    prepare: (request) => add(client.prepare?.(request) ?? request),
  };
}
