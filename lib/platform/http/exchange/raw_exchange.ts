import { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Platform } from "../../../rest/context.ts";
import { BodyError, declaredLength, readDeclaredBody } from "./declared_body.ts";
import { Peer, webHeaders } from "./node_request.ts";
import type { RequestHead } from "../request_head.ts";
import { answerRequest, plainResponse, sendAnswer, type Serving } from "../answer.ts";
import { SocketReader } from "./socket_reader.ts";
import { isMarker, takeOver } from "./take_over.ts";
import { closeLater } from "./unread_body.ts";

/** How long such a request's body may take (milliseconds): it comes before anybody has asked who sends it. */
const PATIENCE = 60_000;

/** The bytes of a request that may become a raw connection, however far they have been read. */
export interface RawRequest {
  readonly head: RequestHead;
  /** Bytes read behind the head. */
  readonly before: readonly Uint8Array[];
  /** The body, where something else has read it already. */
  readonly body?: Uint8Array<ArrayBuffer>;
}

/**
 * Serves a request whose socket the handler may take over: its declared body is read first, exactly, and all bytes behind it
 * belong to the raw connection. A handler that answers as usual gets its answer sent, and the connection closes. Never rejects.
 */
export async function serveRaw(serving: Serving, socket: Socket, raw: RawRequest): Promise<void> {
  const { head } = raw;
  const reader = new SocketReader(socket, ...raw.before);
  const out = responseOn(socket, head);
  const peer = new Peer();
  let taken = false;
  socket.on("error", () => peer.leave());
  socket.on("close", () => {
    const ended = taken ? socket.readableEnded && socket.writableFinished : out.writableFinished;
    if (!ended) peer.leave();
  });
  const platform: Platform = {
    peer: socket.remoteAddress,
    upgrade(init) {
      if (taken) throw new TypeError("Take the connection over: it is taken already");
      if (socket.destroyed) {
        peer.leave();
        throw peer.signal.reason;
      }
      taken = true;
      out.detachSocket(socket);
      return takeOver(socket, reader, head.rawHeaders, init);
    },
  };
  const response = await respondRaw(serving, socket, reader, raw, peer, platform);
  if (!taken) {
    // From here on the peer has nothing to say, and only reading tells when it goes.
    reader.discard();
    socket.on("end", () => out.writableEnded || socket.destroy());
    out.on("finish", () => {
      socket.end();
      const timer = closeLater(socket);
      socket.on("close", () => clearTimeout(timer));
    });
    await sendAnswer(serving, out, response, peer);
  } else if (!isMarker(response)) {
    await response.body?.cancel().catch(() => {});
    socket.destroy();
  }
}

async function respondRaw(
  serving: Serving,
  socket: Socket,
  reader: SocketReader,
  { head, body }: RawRequest,
  peer: Peer,
  platform: Platform,
): Promise<Response> {
  const timer = setTimeout(() => socket.destroy(), PATIENCE);
  try {
    const headers = webHeaders(head.rawHeaders);
    // On a socket whose address is a path, Go's client has no name to send, and sends an empty one (RFC 9110, 7.2).
    const isNamed = serving.authority !== undefined ? /^[^,]*$/ : /^[^,]+$/;
    if (head.minor === 1 && !isNamed.test(headers.get("host") ?? ",")) {
      throw new BodyError(400, "Read the request: it has no Host header, or several");
    }
    const reason = serving.refuse?.(headers, socket.localAddress);
    if (reason !== undefined) return plainResponse(403, reason);
    const length = declaredLength(headers);
    if (length !== 0 && headers.get("expect")?.toLowerCase() === "100-continue") {
      socket.write("HTTP/1.1 100 Continue\r\n\r\n");
    }
    body ??= await readDeclaredBody(reader, length, serving.upgradeBodyLimit);
    clearTimeout(timer);
    return await answerRequest(
      serving,
      { ...head, body: length === 0 ? undefined : body },
      socket.localAddress,
      peer,
      platform,
    );
  } catch (error) {
    if (error instanceof BodyError) return plainResponse(error.status, error.message);
    if (!socket.destroyed) serving.onError(error);
    return plainResponse(400, "Read the request: it broke off");
  } finally {
    clearTimeout(timer);
  }
}

/** A node:http response on a socket that node:http has let go of, or never had. */
export function responseOn(socket: Socket, head: RequestHead): ServerResponse {
  const message = new IncomingMessage(socket);
  message.method = head.method;
  message.url = head.target;
  message.httpVersionMajor = 1;
  message.httpVersionMinor = head.minor;
  const out = new ServerResponse(message);
  out.shouldKeepAlive = false;
  out.assignSocket(socket);
  socket.on("drain", () => out.emit("drain"));
  return out;
}
