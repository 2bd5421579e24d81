import type { IncomingMessage, ServerResponse } from "node:http";
import type { Handler } from "../../rest/context.ts";
import { serveNodeExchange } from "./exchange/node_exchange.ts";
import { IdleWatch } from "./idle_watch.ts";
import type { Serving } from "./answer.ts";

/**
 * Options of {@linkcode requestListener}.
 *
 * @example
 * ```ts
 * import type { RequestListenerOptions } from "./serve.ts";
 * const options: RequestListenerOptions = { bodyPatience: 10_000, onError: console.error };
 * ```
 */
export interface RequestListenerOptions {
  /** Milliseconds without a byte of a body that is waited for, until it is given up; 60,000 by default. */
  readonly bodyPatience?: number;
  /** Told of errors no client can be told of: a handler that throws, a body that fails halfway. */
  onError?(error: unknown): void;
}

/**
 * A handler in the shape that `node:http` calls, for servers and routers built on it, as Express is. A request is matched by the path that
 * such a router leaves: Express takes that of `app.use(path, …)` off. WebSockets and raw upgrades need {@linkcode listen}.
 *
 * @example
 * ```ts
 * import { createServer } from "node:http";
 * import { once } from "node:events";
 * import { api, handler, implement, rest } from "../../rest/mod.ts";
 * import { requestListener } from "./serve.ts";
 * import { z } from "npm:zod@4.6.7";
 *
 * const greeter = api("x", { Greet: rest("GET /hello/{name=%v}", [z.string()], [z.string()]) });
 * const serve = handler(null, implement(greeter, { Greet: (name) => `hello ${name}` }));
 * const server = createServer(requestListener(serve)).listen(0, "127.0.0.1");
 * await once(server, "listening");
 * const { port } = server.address() as { port: number };
 * console.assert(await (await fetch(`http://127.0.0.1:${port}/hello/ann`)).text() === "hello ann");
 * server.close();
 * ```
 */
export function requestListener(
  handler: Handler,
  { bodyPatience = 60_000, onError = () => {} }: RequestListenerOptions = {},
): (message: IncomingMessage, out: ServerResponse) => void {
  const serving: Serving = {
    scheme: "http",
    handler,
    onError,
    idle: new IdleWatch(bodyPatience),
    upgradeBodyLimit: 0,
    socketPatience: 0,
  };
  return (message, out) => void serveNodeExchange(serving, message, out);
}
