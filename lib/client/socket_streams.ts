import { ClientError } from "./client_error.ts";
import { endableInput } from "./endable_input.ts";
import type { ByteStreams } from "./open_streams.ts";

/** Bytes that may wait to be sent. */
const MOST_WAITING = 1 << 20;

/**
 * A WebSocket as streams of bytes, as Gantry serves attach to pages: binary messages both ways, and an empty one ends standard input.
 *
 * @throws {ClientError} `unreachable` if it does not open
 */
export async function socketStreams(socket: WebSocket, action: string, signal: AbortSignal): Promise<ByteStreams> {
  socket.binaryType = "arraybuffer";
  const leave = () => socket.close();
  signal.addEventListener("abort", leave, { once: true });
  const output = new ReadableStream<Uint8Array>({
    start(controller) {
      let isOver = false;
      const end = (finish: () => void) => {
        if (!isOver) finish();
        isOver = true;
      };
      socket.addEventListener("message", ({ data }: MessageEvent<ArrayBuffer>) => {
        if (!isOver) controller.enqueue(new Uint8Array(data));
      });
      socket.addEventListener("close", ({ code, reason }) =>
        end(() => {
          if (signal.aborted) controller.error(signal.reason);
          else if (code === 1000) controller.close();
          else controller.error(new ClientError("unreachable", `${action}: the WebSocket closed (${code}) ${reason}`));
        }));
    },
    cancel: leave,
  });
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener("open", () => resolve(), { once: true });
    socket.addEventListener("close", () => {
      reject(signal.aborted ? signal.reason : new ClientError("unreachable", `${action}: the WebSocket did not open`));
    }, { once: true });
    if (signal.aborted) leave();
  });
  const isOpen = () => socket.readyState === WebSocket.OPEN;
  const { input, end } = endableInput({
    async write(piece) {
      if (piece.length > 0 && isOpen()) socket.send(piece.slice());
      // A WebSocket tells only how much waits, and not when it has gone.
      while (socket.bufferedAmount > MOST_WAITING && isOpen()) await new Promise((resolve) => setTimeout(resolve, 10));
    },
    close: () => {
      if (isOpen()) socket.send(new Uint8Array(0));
    },
    abort: leave,
  });
  socket.addEventListener("close", end);
  return { output, input };
}
