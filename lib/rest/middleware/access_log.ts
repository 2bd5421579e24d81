import type { Middleware } from "./middleware_stack.ts";

/**
 * A request and its answer, for a log.
 *
 * @example
 * ```ts
 * import type { AccessEntry } from "../mod.ts";
 * const line = ({ method, path, status }: AccessEntry) => `${method} ${path} ${status}`;
 * console.assert(line({ method: "GET", path: "/a", status: 200, duration: 1.5, peer: undefined }) === "GET /a 200");
 * ```
 */
export interface AccessEntry {
  readonly method: string;
  /** Without the query, which may hold secrets. */
  readonly path: string;
  readonly status: number;
  /** Milliseconds until the answer began. */
  readonly duration: number;
  /** The peer's address, where the runtime tells it. */
  readonly peer: string | undefined;
}

/**
 * Logs every request when its answer begins: an access log. Errors are `onError`'s.
 *
 * @param write Takes an entry; by default one line of text goes to `console.log`
 *
 * @example
 * ```ts
 * import { type AccessEntry, api, handler, implement, accessLog, rest, middlewareStack } from "../mod.ts";
 * const seen: AccessEntry[] = [];
 * const use = middlewareStack().use(accessLog((entry) => void seen.push(entry)));
 * const serve = handler(null, implement(api("x", { Ping: rest("GET /ping") }), { Ping() {} }), { use });
 * await serve(new Request("http://localhost/ping?token=secret"));
 * console.assert(seen[0].path === "/ping" && seen[0].status === 204);
 * ```
 */
export function accessLog(write: (entry: AccessEntry) => void = writeLine): Middleware {
  return async ({ request, platform }, next) => {
    const began = performance.now();
    const response = await next();
    const { pathname: path } = new URL(request.url);
    const duration = performance.now() - began;
    write({ method: request.method, path, status: response.status, duration, peer: platform.peer });
    return response;
  };
}

function writeLine({ method, path, status, duration, peer = "-" }: AccessEntry): void {
  console.log(`${peer} ${method} ${path} ${status} ${duration.toFixed(1)}ms`);
}
