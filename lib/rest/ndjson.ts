import type { ChannelSource } from "./channel_source.ts";

/** The longest line {@linkcode readLines} accepts, in characters. */
const LONGEST = 64 * 1024 * 1024;

/** Newline-delimited values as a body: pulled from the source only as fast as the peer reads. */
export function textBody(
  source: ChannelSource,
  frame: (text: string) => string,
  signal: AbortSignal,
  end?: { done?: string; failed?: (error: unknown) => string },
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const release = () => source.release();
  const finish = () => {
    signal.removeEventListener("abort", release);
    source.release();
  };
  signal.addEventListener("abort", release, { once: true });
  if (signal.aborted) release();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const text = await source.batch(frame);
        if (text !== undefined) return controller.enqueue(encoder.encode(text));
        if (end?.done) controller.enqueue(encoder.encode(end.done));
      } catch (error) {
        finish();
        // Without a way to say so in the body, the broken-off response is what tells the client.
        if (end?.failed === undefined) throw error;
        controller.enqueue(encoder.encode(end.failed(error)));
      }
      finish();
      controller.close();
    },
    cancel: finish,
  }, { highWaterMark: 0 });
}

/** The lines of a UTF-8 stream, without their ends; empty ones are left out. Cancelling the reader ends a wait. */
export async function* readLines(reader: ReadableStreamDefaultReader<Uint8Array>): AsyncGenerator<string, void> {
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      const text = done ? decoder.decode() : decoder.decode(value, { stream: true });
      const lines = (rest + text).split("\n");
      rest = done ? "" : lines.pop() ?? "";
      if (rest.length > LONGEST) throw new RangeError(`Read a line: longer than ${LONGEST} characters`);
      for (const line of lines) if (line.trim() !== "") yield line;
      if (done) return;
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}
