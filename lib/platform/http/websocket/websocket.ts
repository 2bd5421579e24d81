import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { Platform } from "../../../rest/context.ts";
import { HTTPError } from "../../../rest/error.ts";
import { Peer } from "../exchange/node_request.ts";
import { responseOn } from "../exchange/raw_exchange.ts";
import { answerRequest, sendAnswer, type Serving } from "../answer.ts";
import { endSilent } from "./silent_peer.ts";
import { SocketReader } from "../exchange/socket_reader.ts";
import { isMarker, markerResponse, takeOver } from "../exchange/take_over.ts";
import { WebSocketServer } from "./ws.ts";

/** The longest message a peer may send. */
const MESSAGE_LIMIT = 1024 * 1024;

/** Serves a request that asks for a WebSocket. A handler that answers as usual gets its answer sent. Never rejects. */
export async function serveWebSocket(
  serving: Serving,
  message: IncomingMessage,
  socket: Socket,
  ahead: Uint8Array,
): Promise<void> {
  const method = message.method ?? "GET";
  const target = message.url ?? "/";
  const peer = new Peer();
  let taken = false;
  const platform: Platform = {
    peer: socket.remoteAddress,
    upgradeWebSocket(options) {
      if (taken) throw new TypeError("Open the WebSocket: the connection is taken already");
      taken = true;
      const made = acceptHandshake(message, socket, ahead, serving.socketPatience, options?.protocol);
      made.addEventListener("close", () => peer.leave());
      return { socket: made, response: markerResponse() };
    },
    upgrade(init) {
      // Bytes that are no WebSocket's would surprise the client: only who has the answer to its handshake gets the connection.
      if (taken || !new Headers(init?.headers).has("sec-websocket-accept")) {
        throw new HTTPError(501, "Take the connection over: the client asks for a WebSocket", {
          kind: "unimplemented",
        });
      }
      taken = true;
      socket.on("close", () => peer.leave());
      return takeOver(socket, new SocketReader(socket, ahead), message.rawHeaders, init);
    },
  };
  socket.on("error", () => peer.leave());
  const parts = { method, target, rawHeaders: message.rawHeaders };
  const response = await answerRequest(serving, parts, socket.localAddress, peer, platform);
  if (taken) {
    if (!isMarker(response)) socket.destroy();
    return;
  }
  const out = responseOn(socket, { method, target, minor: 1, rawHeaders: message.rawHeaders });
  socket.resume();
  socket.on("close", () => out.writableFinished || peer.leave());
  out.on("finish", () => socket.end());
  await sendAnswer(serving, out, response, peer);
}

function acceptHandshake(
  message: IncomingMessage,
  socket: Socket,
  ahead: Uint8Array,
  patience: number,
  protocol?: string,
): WebSocket {
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: MESSAGE_LIMIT,
    handleProtocols: (offered) => protocol !== undefined && offered.has(protocol) ? protocol : false,
  });
  let made: WebSocket | undefined;
  server.handleUpgrade(message, socket, ahead, (webSocket) => {
    // An error closes the socket too, which is what users listen to; an event without a listener would end the process.
    webSocket.on("error", () => {});
    endSilent(webSocket, socket, patience);
    // ws has the browser's interface (addEventListener, send, close, bufferedAmount …) under a class of its own.
    made = webSocket as unknown as WebSocket;
  });
  if (made === undefined) {
    throw new HTTPError(400, "Open the WebSocket: the handshake is malformed", { kind: "argument" });
  }
  return made;
}
