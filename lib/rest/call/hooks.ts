import { type Client, DIRECT } from "./core_client.ts";

/**
 * What {@linkcode hooks} calls.
 *
 * @example
 * ```ts
 * import type { ClientHooks } from "../mod.ts";
 * const logging: ClientHooks = { response: (response, { url }) => void console.log(url, response.status) };
 * ```
 */
export interface ClientHooks {
  /** Called with each request before it is sent; what it returns is sent instead. */
  request?(request: Request): Request | void | Promise<Request | void>;
  /** Called with each response as it comes; what it returns is read instead. */
  response?(response: Response, request: Request): Response | void | Promise<Response | void>;
}

/**
 * A client that looks at, or changes, what is sent and what comes back.
 *
 * @param client What sends it then: `fetch` unless told otherwise
 *
 * @example
 * ```ts
 * import { hooks } from "../mod.ts";
 *
 * const seen: string[] = [];
 * const client = hooks({
 *   request: ({ method, url }) => void seen.push(`${method} ${url}`),
 *   response: ({ status }) => void seen.push(String(status)),
 * }, { fetch: () => Promise.resolve(new Response()) });
 * await client.fetch(new Request("http://localhost/a"));
 * console.assert(seen.join() === "GET http://localhost/a,200");
 * ```
 */
export function hooks({ request: before, response: after }: ClientHooks, client: Client = DIRECT): Client {
  return {
    ...client,
    async fetch(request) {
      const sent = await before?.(request) ?? request;
      const response = await client.fetch(sent);
      return await after?.(response, sent) ?? response;
    },
  };
}
