/**
 * Serving an API on a Unix socket or TCP, under Deno and Node.
 *
 * @module
 */
import type { Authenticator } from "../../rest/auth.ts";
import { handler, type HandlerOptions } from "../../rest/handler.ts";
import type { Implementations } from "../../rest/implement.ts";
import { listen, type Listener, type ListenOptions } from "./listener.ts";

export { connect, type ConnectedClient, type ConnectOptions } from "./client/connect.ts";
export type { Hijacks } from "./first_request.ts";
export type { HostRules } from "./host_rules.ts";
export { listen, type Listener, type ListenOptions } from "./listener.ts";
export type { TLSCertificates } from "./tls_sockets.ts";
export { requestListener, type RequestListenerOptions } from "./request_listener.ts";

/**
 * Options of {@linkcode listenAndServe}. Anybody is served, under any name, unless `hosts` or `origins` is there: then a `Host` over TCP has to
 * be a loopback name, the address that was reached or one of `hosts`, and a page's `Origin` the server itself or one of `origins`; all else is
 * answered 403. That keeps pages away that have a name of their own point here (DNS rebinding), of a server that only this machine should reach.
 *
 * @example
 * ```ts
 * import type { ServeOptions } from "./serve.ts";
 * const options: ServeOptions = { compress: true, hosts: ["api.example.com"], origins: ["https://app.example.com"] };
 * ```
 */
export interface ServeOptions<State extends object = object>
  extends Omit<ListenOptions, "authenticated" | "open">, Omit<HandlerOptions<State>, "onError" | "bodyPatience"> {}

/**
 * Serves an implementation, or several side by side, and resolves when it listens.
 *
 * @example
 * ```ts
 * import { api, implement, int64, link, rest } from "../../rest/mod.ts";
 * import { listenAndServe } from "./serve.ts";
 *
 * const calculator = api("calculator.example.com", {
 *   Add: rest("GET /sum?a=%v&b=%v", [int64, int64], [int64]),
 * });
 * await using server = await listenAndServe("tcp://127.0.0.1:0", null, implement(calculator, { Add: (a, b) => a + b }));
 * const client = link(calculator, server.address.replace("tcp:", "http:"));
 * console.assert(await client.Add(1n, 2n) === 3n);
 * ```
 *
 * @param addr `unix:///path`, `tcp://host:port` or `host:port`
 * @param auth Who may call; null for anybody
 * @param impl What is served
 * @throws {SyntaxError} if the address does not parse
 * @throws {Error} if it is taken
 */
export function listenAndServe<Identity = unknown, State extends object = object>(
  addr: string,
  auth: Authenticator<Identity> | null,
  impl: Implementations<NoInfer<Identity>, NoInfer<State>>,
  options: ServeOptions<State> = {},
): Promise<Listener> {
  // The listener itself gives up bodies.
  return listen(addr, handler(auth, impl, { ...options, bodyPatience: undefined }), {
    ...options,
    // Null says that anybody may call.
    authenticated: true,
    open: options.hosts === undefined && options.origins === undefined,
  });
}
