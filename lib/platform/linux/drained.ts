import type { Writable } from "node:stream";

/**
 * Waits until a stream that is full takes more, or takes nothing ever again. Leaves no listener behind, and nothing on a promise
 * that lives as long as the stream.
 */
export function drained(stream: Writable): Promise<void> {
  if (stream.destroyed || !stream.writableNeedDrain) return Promise.resolve();
  const events = ["drain", "error", "close"];
  return new Promise((resolve) => {
    const done = () => {
      for (const event of events) stream.off(event, done);
      resolve();
    };
    for (const event of events) stream.on(event, done);
  });
}
