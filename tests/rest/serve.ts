/** What the handler tests share: an API in one call, and requests in short. */
import { api, type APIOptions, handler, implement } from "../../lib/rest/mod.ts";
import type { Functions, Handler, HandlerOptions, Operations } from "../../lib/rest/mod.ts";

/** Serves functions without authentication. */
export function serve<const D extends Operations>(
  operations: D,
  functions: Functions<D>,
  options: APIOptions = {},
  more: HandlerOptions = {},
): Handler {
  return handler(null, implement(api("x", operations, options), functions), more);
}

/** A request to a path. */
export function request(method: string, path: string, body?: BodyInit, headers: HeadersInit = {}): Request {
  return new Request(`http://h${path}`, { method, body, headers });
}

/** The headers of a JSON body. */
export const JSON_TYPE = { "content-type": "application/json" };
