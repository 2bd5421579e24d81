import type { ChannelSource } from "./channel_source.ts";
import { LineSplitter } from "./line_splitter.ts";

/** How long what was sent has to go out before a body breaks off (milliseconds): what breaks off takes with it what waits. */
const LINGER = 10;

/** How values go out in a body of text. */
export interface Frames {
  value(text: string): string;
  /** The text that ends the body. */
  readonly done?: string;
  failed?(error: unknown): string;
  /** The text sent after `after` milliseconds without a value. */
  readonly idle?: { readonly text: string; readonly after: number };
}

/** Values as a body of text: pulled from the source only as fast as the peer reads. */
export function textBody(source: ChannelSource, frames: Frames, signal?: AbortSignal): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let isLeft = false;
  const release = () => source.release();
  const finish = () => {
    signal?.removeEventListener("abort", release);
    source.release();
  };
  signal?.addEventListener("abort", release, { once: true });
  if (signal?.aborted) release();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const send = (text: string) => controller.enqueue(encoder.encode(text));
      const { idle } = frames;
      // Texts that wait unread already show that the channel lives: no beat then.
      const beat = idle && setInterval(() => controller.desiredSize === 0 && send(idle.text), idle.after);
      try {
        const text = await source.batch((text) => frames.value(text));
        // The reader may have left while the value was on its way.
        if (isLeft) return;
        if (text !== undefined) return send(text);
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
    cancel() {
      isLeft = true;
      finish();
    },
  }, { highWaterMark: 0 });
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
