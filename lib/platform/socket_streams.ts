import type { Socket } from "node:net";
import type { SocketReader } from "./socket_reader.ts";

/**
 * A socket as web streams, each way ending on its own: the peer's end closes `readable`, closing `writable` ends our side only.
 * The socket goes when both have ended, or when either is broken off.
 */
export function socketStreams(
  socket: Socket,
  reader: SocketReader,
): { readable: ReadableStream<Uint8Array>; writable: WritableStream<Uint8Array> } {
  const readable = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const piece = await reader.read();
      if (piece === undefined) controller.close();
      else controller.enqueue(piece);
    },
    cancel: () => reader.discard(),
  }, { highWaterMark: 0 });
  const writable = new WritableStream<Uint8Array>({
    start(controller) {
      socket.on("error", (error: Error) => controller.error(error));
      socket.on("close", () => controller.error(new DOMException("The peer has gone", "AbortError")));
    },
    write: (piece) => writeSocket(socket, piece),
    close: () => new Promise<void>((resolve) => socket.end(resolve)),
    abort: () => void socket.destroy(),
  });
  return { readable, writable };
}

/** Writes to a socket; waits while the peer reads more slowly than we write. Rejects when it breaks. */
export function writeSocket(socket: Socket, piece: Uint8Array | string): Promise<void> {
  return new Promise((resolve, reject) => {
    if (socket.destroyed) return reject(new DOMException("The peer has gone", "AbortError"));
    if (socket.write(piece)) return resolve();
    const settle = () => {
      socket.removeListener("drain", settle);
      socket.removeListener("close", settle);
      if (socket.destroyed) reject(new DOMException("The peer has gone", "AbortError"));
      else resolve();
    };
    socket.on("drain", settle);
    socket.on("close", settle);
  });
}
