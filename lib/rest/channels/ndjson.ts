import type { ChannelSource } from "./channel_source.ts";
import { encodeParts, type TextParts } from "./parts/encode_parts.ts";
import { readBatch } from "./parts/read_batch.ts";
import { LineSplitter } from "./line_splitter.ts";

/** How long what was sent has to go out before a body breaks off (milliseconds): what breaks off takes with it what waits. */
const LINGER = 10;

/** How values go out in a body of text. */
export interface Frames {
  /** Gives the text before that of the value that was encoded last; empty by default. */
  before?(): string;
  /** The text behind it. */
  readonly after: string;
  /** The text that ends the body. */
  readonly done?: string;
  failed?(error: unknown): string;
  /** The text sent after `after` milliseconds without a value. */
  readonly idle?: { readonly text: string; readonly after: number };
}

/** The call that a body belongs to. */
export interface BodyCall {
  /** Aborts when the peer goes away. */
  readonly signal?: AbortSignal;
  /** Called when the body is over, however it ended. */
  ended?(): void;
  /** Called before that when nobody wants the rest. */
  cancelled?(reason: unknown): void;
}

/** Values as a body of text: pulled from the source only as fast as the peer reads. */
export function textBody(
  source: ChannelSource<string | TextParts>,
  frames: Frames,
  call: BodyCall = {},
): ReadableStream<Uint8Array> {
  const { signal } = call;
  const { before = () => "", after } = frames;
  let isLeft = false;
  let beat: ReturnType<typeof setInterval> | undefined;
  const release = () => source.release();
  const finish = () => {
    // Here too, and not only where the wait for the source ends: a source that does not look at its signal may make it wait for ever.
    clearInterval(beat);
    signal?.removeEventListener("abort", release);
    source.release();
    call.ended?.();
  };
  signal?.addEventListener("abort", release, { once: true });
  if (signal?.aborted) release();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const send = (...parts: TextParts) => encodeParts(parts, (piece) => controller.enqueue(piece));
      const { idle } = frames;
      try {
        const batch = readBatch(source, before, after);
        if (idle && await isPending(batch, source) && !isLeft) {
          // Texts that wait unread already show that the channel lives: no beat then.
          beat = setInterval(() => controller.desiredSize === 0 && send(idle.text), idle.after);
        }
        const parts = await batch;
        // The reader may have left while the value was on its way.
        if (isLeft) return;
        if (parts !== undefined) return send(...parts);
        if (frames.done) send(frames.done);
      } catch (error) {
        finish();
        // Without a way to say so in the body, the broken-off response is what tells the client.
        if (frames.failed === undefined) {
          await new Promise((resolve) => setTimeout(resolve, LINGER));
          throw error;
        }
        const text = frames.failed(error);
        if (isLeft) return;
        send(text);
      } finally {
        clearInterval(beat);
      }
      finish();
      controller.close();
    },
    cancel(reason) {
      isLeft = true;
      call.cancelled?.(reason);
      finish();
    },
  }, { highWaterMark: 0 });
}

/** Whether a batch waits for more than microtasks: for those alone a timer costs more than all the rest. */
async function isPending(batch: Promise<unknown>, source: ChannelSource<string | TextParts>): Promise<boolean> {
  let isSettled = false;
  const settle = () => isSettled = true;
  batch.then(settle, settle);
  // A value at hand takes four, and some more where its schema is asynchronous. Several of them take a multiple.
  for (let i = 0, waits = 0; i < 64 && waits < 8 && !isSettled; i++) {
    await undefined;
    waits = source.waits ? waits + 1 : 0;
  }
  return !isSettled;
}

/** The lines of a UTF-8 stream, without their ends; empty ones are left out. Cancelling the reader ends a wait. */
export async function* readLines(reader: ReadableStreamDefaultReader<Uint8Array>): AsyncGenerator<string, void> {
  const decoder = new TextDecoder();
  const splitter = new LineSplitter("\n");
  try {
    for (;;) {
      const { done, value } = await reader.read();
      for (const line of splitter.push(decoder.decode(value, { stream: !done }))) if (line.trim() !== "") yield line;
      if (!done) continue;
      const last = splitter.end();
      if (last.trim() !== "") yield last;
      return;
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}
