import type { Readable } from "node:stream";
import { setTimeout } from "node:timers";
import { setTimeout as sleep } from "node:timers/promises";
import type { ExecStreams } from "../../../../engine/ports/exec_port.ts";
import type { Frame } from "../../../../engine/ports/host_port.ts";
import { freeBytes } from "../../../../oci/bytes/byte_stream.ts";

/** How long a pipe must be silent after its process's end to be taken for empty, where a child still holds it open. */
const SILENCE = 200;
/** Milliseconds between two looks at output that nobody wants: a hundred megabytes of it in a second. */
const PAUSE = 1;

/** Both outputs as one stream. */
export interface PipedOutput {
  frames: ReadableStream<Frame>;
  /** The text of standard error up to the end: where there is no process, its runtime's. */
  errors(): Promise<string>;
  /** Ends the stream; what the process goes on to write is read and dropped, or it would stand still. */
  close(): void;
}

/**
 * Merges a process's output pipes. To be called as soon as there are any: of a child process that has ended, Node throws
 * away what nobody listens for. The stream ends when the process has, with all it wrote; a child it left behind may keep
 * the pipes open.
 */
export function pipedOutput(
  pipes: { stdout: Readable | null; stderr: Readable },
  wanted: ExecStreams,
  ended: Promise<void>,
): PipedOutput {
  const open = new Map<Frame["stream"], Readable>();
  if (pipes.stdout !== null) open.set("stdout", pipes.stdout);
  open.set("stderr", pipes.stderr);
  // The pipes with something to read, in the order in which it came.
  const ready = new Set<Frame["stream"]>();
  let wake = () => {};
  let isOver = false;
  let isClosed = false;
  void ended.then(() => {
    isOver = true;
    wake();
  });
  for (const [stream, pipe] of open) {
    pipe.on("readable", () => {
      ready.add(stream);
      wake();
    });
    pipe.once("close", () => {
      open.delete(stream);
      wake();
    });
    pipe.once("end", () => {
      open.delete(stream);
      wake();
    });
    pipe.on("error", () => {});
  }
  const take = (): Frame | undefined => {
    for (const stream of [...ready, ...open.keys()]) {
      ready.delete(stream);
      const data: Uint8Array | null = open.get(stream)?.read() ?? null;
      if (data !== null) return { stream, data };
    }
  };
  const next = async (): Promise<Frame | undefined> => {
    for (let isQuiet = false; !isClosed;) {
      const frame = take();
      if (frame !== undefined) return frame;
      if (isOver && (open.size === 0 || isQuiet)) break;
      const woken = new Promise<boolean>((resolve) => wake = () => resolve(false));
      isQuiet = await (isOver ? Promise.race([woken, sleep(SILENCE, true)]) : woken);
    }
    for (const pipe of open.values()) if (isOver) pipe.destroy();
  };
  const close = () => {
    if (isClosed) return;
    isClosed = true;
    wake();
    for (const pipe of open.values()) dropPipe(pipe);
    void ended.then(() => sleep(SILENCE)).then(() => {
      for (const pipe of open.values()) pipe.destroy();
    });
  };
  const frames = new ReadableStream<Frame>({
    async pull(controller) {
      for (;;) {
        const frame = await next();
        if (frame === undefined) return controller.close();
        if (wanted[frame.stream]) return controller.enqueue(frame);
        freeBytes(frame.data);
      }
    },
    cancel: close,
  }, { highWaterMark: 0 });
  const errors = async () => {
    const decoder = new TextDecoder();
    let text = "";
    for (let frame = await next(); frame !== undefined; frame = await next()) {
      if (frame.stream === "stderr") text += decoder.decode(frame.data, { stream: true });
    }
    return text;
  };
  return { frames, errors, close };
}

/** Reads and drops what comes, with pauses: a process that never stops writing must not keep this one busy. */
function dropPipe(pipe: Readable): void {
  const read = () => {
    for (let data = pipe.read(); data !== null; data = pipe.read()) freeBytes(data);
  };
  pipe.removeAllListeners("readable").on("readable", () => setTimeout(read, PAUSE).unref());
  read();
}
