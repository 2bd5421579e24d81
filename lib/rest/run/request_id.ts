import type { Handler } from "../context.ts";

/**
 * Options of {@linkcode requestID}.
 *
 * @example
 * ```ts
 * import type { RequestIDOptions } from "../mod.ts";
 * const behindProxy: RequestIDOptions = { header: "x-correlation-id", trusted: true };
 * ```
 */
export interface RequestIDOptions {
  /** The header the id travels in; `x-request-id` by default. */
  readonly header?: string;
  /** Whether an id the client sends is taken over; otherwise every request gets a new one. */
  readonly trusted?: boolean;
}

const ids = new WeakMap<Request, string>();

/**
 * Gives every request an id, which the response carries too. {@linkcode idOf} tells it to functions and to `onError`.
 *
 * @example
 * ```ts
 * import { api, handler, idOf, implement, requestID, rest } from "../mod.ts";
 * import { z } from "npm:zod@4.6.7";
 *
 * const echo = api("echo.example.com", { ID: rest("GET /id", [], [z.string()]) });
 * const serve = requestID(handler(null, implement(echo, { ID: ({ request }) => idOf(request) ?? "" })));
 * const response = await serve(new Request("http://localhost/id"));
 * console.assert(await response.text() === response.headers.get("x-request-id"));
 * ```
 */
export function requestID(
  serve: Handler,
  { header = "x-request-id", trusted = false }: RequestIDOptions = {},
): Handler {
  return async (request, platform) => {
    const given = trusted ? request.headers.get(header) : null;
    const id = given !== null && /^[\w.:-]{1,128}$/.test(given) ? given : crypto.randomUUID();
    ids.set(request, id);
    const response = await serve(request, platform);
    try {
      response.headers.set(header, id);
      return response;
    } catch {
      // A response of `fetch` has headers that cannot be changed.
      const { status, statusText, body } = response;
      const made = new Response(body, { status, statusText, headers: response.headers });
      made.headers.set(header, id);
      return made;
    }
  };
}

/**
 * The id of a request that came through {@linkcode requestID}.
 *
 * @example
 * ```ts
 * import { idOf } from "../mod.ts";
 * console.assert(idOf(new Request("http://localhost")) === undefined);
 * ```
 */
export function idOf(request: Request): string | undefined {
  return ids.get(request);
}
