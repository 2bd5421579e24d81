import { type Client, DIRECT } from "./core_client.ts";

/**
 * A client that adds a header to every request.
 *
 * @param client What sends it then: `fetch` unless told otherwise
 *
 * @example
 * ```ts
 * import { header } from "./mod.ts";
 * const client = header("Authorization", "Bearer secret");
 * ```
 */
export function header(name: string, value: string, client: Client = DIRECT): Client {
  return {
    fetch(request) {
      const headers = new Headers(request.headers);
      headers.set(name, value);
      return client.fetch(new Request(request, { headers }));
    },
  };
}
