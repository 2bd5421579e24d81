import { cutPath, pathBehind, pathOfBase } from "../route/request_path.ts";
import { DUPLEX, type DuplexPlatform } from "../run/duplex_call.ts";
import type { Handler } from "../context.ts";
import type { Implementation } from "../implement.ts";
import { offeredProtocols } from "../channels/socket_protocols.ts";
import { PROTOCOL } from "./duplex_socket.ts";
import { ServedDuplex } from "./duplex_server.ts";
import { trieRouter } from "../route/trie_router.ts";
import { wantsWebSocket } from "../channels/websocket_channel.ts";

/**
 * Serves operations that take a channel over WebSockets too, beside lines over HTTP: values go both ways over one, and the answer of an
 * operation that has no channel to give is the last message. A call is checked as any other before its WebSocket is opened: what is refused has
 * a status. `handler` does so by itself; this is the part for a server in parts.
 *
 * @param serve The handler of the same implementations
 * @param options The `prefix` of that handler, if it has one
 *
 * @example
 * ```ts
 * import { acceptDuplex, api, chan, handlerWith, implement, int64, receiveChannel, rest, writeChannel } from "../server.ts";
 * const echo = api("echo.example.com", { Echo: rest("POST /echo", [chan(int64)], [chan(int64)]) });
 * const functions = implement(echo, {
 *   async *Echo(values) {
 *     yield* values;
 *   },
 * });
 * const serve = acceptDuplex(handlerWith({ receive: receiveChannel, channel: writeChannel }, null, functions), functions);
 * const headers = { "content-type": "application/x-ndjson" };
 * const response = await serve(new Request("http://localhost/echo", { method: "POST", body: "1\n2\n", headers }));
 * console.assert(await response.text() === "1\n2\n");
 * ```
 */
export function acceptDuplex(
  serve: Handler,
  implementations: Pick<Implementation, "definition"> | readonly Pick<Implementation, "definition">[],
  options: { readonly prefix?: string } = {},
): Handler {
  const all = "definition" in implementations ? [implementations] : implementations;
  const routers = all.flatMap(({ definition }) => {
    // A stream of bytes has no messages to be answered in.
    const plans = definition.plans.filter(({ body, result }) => body?.item && result.shape !== "stream");
    const routes = plans.map((plan) => ({ plan, options: definition.options, value: plan }));
    return plans.length === 0 ? [] : [[pathOfBase(options.prefix ?? definition.base), trieRouter(routes)] as const];
  });
  if (routers.length === 0) return serve;
  return async (request, platform = {}) => {
    const protocol = request.method === "GET" && wantsWebSocket(request)
      ? offeredProtocols(request.headers).find((name) => /^gantry\.duplex(\.[a-z]+)?$/.test(name))
      : undefined;
    if (!protocol) return await serve(request, platform);
    const method = protocol.slice(PROTOCOL.length + 1).toUpperCase() || "POST";
    const { path, query } = cutPath(request.url);
    const isRouted = routers.some(([prefix, router]) => {
      const within = pathBehind(prefix, path);
      return within && router.match(method, within, query) !== undefined;
    });
    if (!isRouted) return await serve(request, platform);
    const duplex = new ServedDuplex(request, platform, protocol);
    // Lent to nobody else: the call has the WebSocket.
    const lent: DuplexPlatform = { ...platform, upgrade: undefined, upgradeWebSocket: undefined, [DUPLEX]: duplex };
    return await duplex.answer((called) => serve(called, lent), method);
  };
}
