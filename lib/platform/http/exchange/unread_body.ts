import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";

/** The most of a body nobody wants that is read for the sake of the connection, in bytes. */
export const UNREAD_LIMIT = 256 * 1024;
/** How long a peer may go on sending what nobody wants, before the connection is closed under it (milliseconds). */
const LINGER = 2000;

/**
 * Keeps node:http from closing a connection at the end of its answer while the request's body is still on its way: a peer that writes to a closed
 * connection may see its write fail before it reads the answer. Call it before the last answer of a connection, and `discardBody()` behind it.
 */
export function lingerOnClose(message: IncomingMessage): void {
  const { socket } = message;
  const close = socket.destroySoon.bind(socket);
  socket.destroySoon = () => {
    if (message.complete || message.destroyed) return close();
    socket.end();
    message.once("end", close);
    message.once("close", close);
  };
}

/**
 * Gets rid of a body that the answer did not wait for. A little more of it is thrown away, so that the connection can be used again; a peer that
 * has more to send, or takes its time, is left to read its answer, and then loses the connection.
 */
export function discardBody(message: IncomingMessage): void {
  const { socket } = message;
  let left = UNREAD_LIMIT;
  const timer = closeLater(socket);
  // Not of the socket: a connection may see many such bodies.
  const settle = () => clearTimeout(timer);
  message.removeAllListeners("data");
  message.on("data", (piece: Uint8Array) => {
    left -= piece.length;
    // Bytes left unread keep the peer from sending more; closing at once could cost it the answer.
    if (left < 0) message.pause();
  });
  message.on("end", settle);
  message.on("close", settle);
  message.resume();
}

/** Closes a connection after a moment in which its peer can read what it has been sent. */
export function closeLater(socket: Socket): ReturnType<typeof setTimeout> {
  return setTimeout(() => socket.destroy(), LINGER);
}
