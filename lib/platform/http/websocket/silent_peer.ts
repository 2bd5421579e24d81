import type { Socket } from "node:net";
import { LONGEST } from "../idle_watch.ts";
import type { WebSocket } from "./ws.ts";

/** How many times in its patience a peer is looked at. */
const LOOKS = 3;

/**
 * Ends a WebSocket whose peer has vanished: one that sends nothing for `patience` milliseconds, and up to a third more, although it has been
 * pinged, and takes nothing of what waits for it. TCP by itself tells of that late, or never where there is nothing to send.
 *
 * @param connection What the WebSocket runs on
 */
export function endSilent(socket: WebSocket, connection: Socket, patience: number): void {
  let received = -1;
  let sent = 0;
  let waiting = 0;
  let silent = 0;
  const timer = setInterval(() => {
    const gone = connection.bytesWritten - connection.writableLength;
    // Bytes queued here move on only when the peer takes those before them; a ping alone proves nothing, as the kernel holds it
    // for any peer.
    const isThere = connection.bytesRead !== received || (waiting > 0 && gone > sent);
    received = connection.bytesRead;
    sent = gone;
    waiting = connection.writableLength;
    silent = isThere ? 0 : silent + 1;
    if (silent === LOOKS) socket.terminate();
    else if (silent > 0) socket.ping();
  }, Math.min(patience / LOOKS, LONGEST));
  socket.on("close", () => clearInterval(timer));
}
