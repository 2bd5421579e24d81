import http from "node:http";
import net from "node:net";
import type { Client } from "../../../rest/call/core_client.ts";
import { parseAddress } from "../address.ts";
import { sendRequest } from "./send_request.ts";
import { endSilent } from "../websocket/silent_peer.ts";
import { WebSocket as SocketClient } from "../websocket/ws.ts";

/**
 * A client of one server, and its open connections.
 *
 * @example
 * ```ts
 * import { connect, type ConnectedClient } from "../serve.ts";
 * using client: ConnectedClient = connect("unix:///run/calculator.sock");
 * console.assert(typeof client.fetch === "function");
 * ```
 */
export interface ConnectedClient extends Client, Disposable {}

/**
 * Options of {@linkcode connect}.
 *
 * @example
 * ```ts
 * import { connect, type ConnectOptions } from "../serve.ts";
 * const options: ConnectOptions = { socketPatience: 10_000 };
 * using client = connect("unix:///run/calculator.sock", options);
 * ```
 */
export interface ConnectOptions {
  /** Milliseconds a WebSocket's server may be silent, though it is pinged, until it is taken for gone; 60,000 by default. */
  readonly socketPatience?: number;
}

/**
 * A client for `link` that reaches a server at the address it listens on, which may be a Unix socket (`fetch` and `WebSocket`
 * cannot): whatever the host in the base is.
 *
 * @example
 * ```ts
 * import { api, implement, int64, link, rest } from "../../../rest/mod.ts";
 * import { connect, listenAndServe } from "../serve.ts";
 *
 * const calculator = api("calculator.example.com", { Square: rest("GET /squares/{n=%v}", [int64], [int64]) });
 * await using server = await listenAndServe("tcp://127.0.0.1:0", null, implement(calculator, { Square: (n) => n * n }));
 * using client = connect(server.address); // or unix:///run/calculator.sock
 * console.assert(await link(calculator, "http://localhost", client).Square(4n) === 16n);
 * ```
 *
 * @param addr `unix:///path`, `tcp://host:port` or `host:port`
 * @throws {SyntaxError} if the address does not parse
 */
export function connect(addr: string, { socketPatience = 60_000 }: ConnectOptions = {}): ConnectedClient {
  const address = parseAddress(addr);
  const to = address.kind === "unix" ? { socketPath: address.path } : { host: address.host, port: address.port };
  const agent = new http.Agent({ keepAlive: true });
  const sockets = new Set<SocketClient>();
  return {
    fetch(request) {
      const { pathname, search, host } = new URL(request.url);
      return sendRequest(request, (options, answer) => {
        const headers = { host, ...options.headers };
        return http.request({ ...options, ...to, headers, path: pathname + search, agent }, answer);
      });
    },
    websocket: true,
    openWebSocket(request, protocols) {
      let connection: net.Socket | undefined;
      const socket = new SocketClient(request.url.replace(/^http/, "ws"), protocols, {
        headers: Object.fromEntries(request.headers),
        // This decides where the connection goes, whatever the address' scheme and host are.
        createConnection: () => connection = net.connect(address.kind === "unix" ? { path: address.path } : address),
        perMessageDeflate: false,
      });
      // A failure closes the socket too, which is what users listen to; an event without a listener would end the process.
      socket.on("error", () => {});
      socket.on("open", () => connection && endSilent(socket, connection, socketPatience));
      sockets.add(socket);
      socket.on("close", () => sockets.delete(socket));
      // ws has the browser's interface under a class of its own.
      return socket as unknown as WebSocket;
    },
    [Symbol.dispose]() {
      agent.destroy();
      for (const socket of sockets) socket.terminate();
    },
  };
}
