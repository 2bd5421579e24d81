import type { Socket } from "node:net";
import { byteStream } from "../../../oci/bytes/byte_stream.ts";
import type { Upgraded } from "../../../rest/context.ts";
import type { SocketReader } from "./socket_reader.ts";
import { writeAll } from "./write_all.ts";

/**
 * A socket as web streams, each way ending on its own: the peer's end closes `readable`, closing `writable` ends our side only.
 * The socket goes when both have ended, or when either is broken off.
 */
export function socketStreams(socket: Socket, reader: SocketReader): Omit<Upgraded, "response"> {
  const readable = byteStream({ next: () => reader.read(), cancel: () => reader.discard() });
  const writable = new WritableStream<Uint8Array>({
    start(controller) {
      socket.on("error", (error: Error) => controller.error(error));
      socket.on("close", () => controller.error(new DOMException("The peer has gone", "AbortError")));
    },
    async write(piece) {
      if (!await writeAll(socket, piece)) throw new DOMException("The peer has gone", "AbortError");
    },
    close: () => new Promise<void>((resolve) => socket.end(resolve)),
    abort: () => void socket.destroy(),
  });
  return { readable, writable, handsBack: true };
}
