import { type Context, HTTPError, type Upgraded } from "../lib/rest/mod.ts";
import { chooseProtocol, close, drained, opened, wantsWebSocket } from "../lib/rest/channels/websocket_channel.ts";
import { RequestError } from "./request_error.ts";

/** Bytes a peer may send ahead of who reads them. */
const MOST_AHEAD = 8 << 20;
/** A peer that takes nothing for this long is too slow. */
const STALL_MS = 30_000;

export { wantsWebSocket };

/**
 * Takes the client's WebSocket as a connection of bytes, for pages, which can open no other. Each way they travel in binary
 * messages; a text message counts as its UTF-8, an empty message ends the peer's input. The end of the output closes the
 * socket with 1000, a failure with 1011.
 *
 * @throws {RequestError} 400 where no WebSocket is asked for, 501 where the runtime has none
 */
export function socketBytes({ request, platform }: Pick<Context, "request" | "platform">): Upgraded {
  if (!wantsWebSocket(request)) {
    throw new RequestError("malformed", "Open a WebSocket: the request does not ask for one");
  }
  if (platform.upgradeWebSocket === undefined) {
    throw new RequestError("unsupported", "Open a WebSocket: this runtime has none to give", { kind: "unimplemented" });
  }
  const { socket, response } = platform.upgradeWebSocket({ protocol: chooseProtocol(request) });
  socket.binaryType = "arraybuffer";
  const gone = new AbortController();
  for (const event of ["close", "error"]) socket.addEventListener(event, () => gone.abort());
  return { readable: incomingBytes(socket, gone.signal), writable: outgoingBytes(socket, gone.signal), response };
}

/** Sends a whole stream over the client's WebSocket; what the client sends is not read. */
export function sendOverSocket(context: Context, body: ReadableStream<Uint8Array>): Response {
  const { readable, writable, response } = socketBytes(context);
  const sent = Promise.all([readable.cancel(), body.pipeTo(writable)]).then(() => {}, () => {});
  context.platform.waitUntil?.(sent);
  return response;
}

function incomingBytes(socket: WebSocket, gone: AbortSignal): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let isOver = false;
  return new ReadableStream<Uint8Array>({
    start(controller) {
      const end = (finish: () => void) => {
        if (!isOver) finish();
        isOver = true;
      };
      gone.addEventListener("abort", () => end(() => controller.error(new Error("the peer has gone"))), { once: true });
      socket.addEventListener("message", ({ data }: MessageEvent<string | ArrayBuffer>) => {
        if (isOver) return;
        const bytes = typeof data === "string" ? encoder.encode(data) : new Uint8Array(data);
        if (bytes.length === 0) return end(() => controller.close());
        controller.enqueue(bytes);
        if ((controller.desiredSize ?? 0) > 0) return;
        end(() => controller.error(new Error("the peer sends faster than anybody reads")));
        close(socket, 1009, "More than can be held");
      });
    },
    cancel: () => void (isOver = true),
  }, new ByteLengthQueuingStrategy({ highWaterMark: MOST_AHEAD }));
}

function outgoingBytes(socket: WebSocket, gone: AbortSignal): WritableStream<Uint8Array> {
  return new WritableStream<Uint8Array>({
    start(controller) {
      gone.addEventListener("abort", () => controller.error(new Error("the peer has gone")), { once: true });
    },
    async write(chunk) {
      await opened(socket, gone);
      if (await drained(socket, gone, STALL_MS)) {
        // The runtime's sockets take it at once; whose the buffer is afterwards they do not say.
        return socket.send(chunk.slice());
      }
      close(socket, 1013, "The peer reads too slowly");
      throw new Error("the peer reads too slowly");
    },
    async close() {
      await opened(socket, gone);
      close(socket, 1000, "");
    },
    abort: (reason) => close(socket, 1011, reason instanceof HTTPError ? reason.message : "Internal error"),
  });
}
