/**
 * Serving an API on a Unix socket or TCP, under Deno and Node.
 *
 * @module
 */
import type { Authenticator } from "../../rest/auth.ts";
import { handler, type HandlerOptions } from "../../rest/handler.ts";
import type { Implementation } from "../../rest/implement.ts";
import { listen, type Listener, type ListenOptions } from "./listener.ts";

export { connect, type ConnectedClient, type ConnectOptions } from "./client/connect.ts";
export type { Hijacks } from "./front.ts";
export type { HostRules } from "./host_rules.ts";
export { listen, type Listener, type ListenOptions } from "./listener.ts";
export { requestListener, type RequestListenerOptions } from "./request_listener.ts";

/**
 * Options of {@linkcode listenAndServe}.
 *
 * @example
 * ```ts
 * import type { ServeOptions } from "./serve.ts";
 * const options: ServeOptions = { compress: true, etag: true, hosts: ["api.example.com"] };
 * ```
 */
export interface ServeOptions
  extends Omit<ListenOptions, "authenticated">, Omit<HandlerOptions, "onError" | "bodyPatience"> {}

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
 * @param auth Who may call; null for anybody, which TCP off loopback refuses
 * @param impl What is served
 * @throws {SyntaxError} if the address does not parse
 * @throws {Error} if it is taken, or off loopback without an authenticator
 */
export function listenAndServe<Identity = unknown>(
  addr: string,
  auth: Authenticator<Identity> | null,
  impl: Implementation<NoInfer<Identity>> | readonly Implementation<NoInfer<Identity>>[],
  options: ServeOptions = {},
): Promise<Listener> {
  // The listener itself gives up bodies.
  return listen(addr, handler(auth, impl, { ...options, bodyPatience: undefined }), {
    ...options,
    authenticated: auth !== null,
  });
}
