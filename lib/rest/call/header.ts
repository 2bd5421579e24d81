import { type Client, DIRECT } from "./core_client.ts";

/**
 * A client that adds a header to every request.
 *
 * @param client What sends it then: `fetch` unless told otherwise
 *
 * @example
 * ```ts
 * import { header } from "../mod.ts";
 * const client = header("Authorization", "Bearer secret");
 * ```
 */
export function header(name: string, value: string, client: Client = DIRECT): Client {
  const add = (request: Request) => {
    const headers = new Headers(request.headers);
    headers.set(name, value);
    return new Request(request, { headers });
  };
  return {
    ...client,
    fetch: (request) => client.fetch(add(request)),
    prepare: (request) => add(client.prepare?.(request) ?? request),
  };
}
