import type { Writable } from "node:stream";

/**
 * Writes bytes to a stream and waits until it has no more use for them, so that they may be written over or freed. Resolves
 * with whether it took them; one that has ended takes nothing ever again. Leaves no listener behind, and nothing on a promise
 * that lives as long as the stream.
 */
export function writeAll(stream: Writable, ...pieces: Uint8Array[]): Promise<boolean> {
  if (!stream.writable) return Promise.resolve(false);
  return new Promise((resolve) => {
    const settle = (took: boolean) => {
      stream.off("close", closed);
      resolve(took);
    };
    const closed = () => settle(false);
    stream.on("close", closed);
    const last = pieces.length - 1;
    if (last > 0) stream.cork();
    for (let i = 0; i < last; i++) stream.write(pieces[i]);
    stream.write(pieces[last], (error) => settle(!error));
    if (last > 0) stream.uncork();
  });
}
