import { messageOf } from "../../lib/oci/message_of.ts";
import { printableLines } from "../../lib/oci/printable.ts";

/**
 * Starts a pull or push and waits until it has something to tell: what fails before that still has a status of its own. The
 * progress is then whole, its first value included.
 *
 * @param isUnderWay Whether a value tells that it goes well; words alone do not say that the image is there, the first layer does
 */
export async function beginProgress<T extends { kind: string }>(
  progress: AsyncIterable<T>,
  isUnderWay: (value: T) => boolean = ({ kind }) => kind !== "status",
): Promise<AsyncIterable<T>> {
  const iterator = progress[Symbol.asyncIterator]();
  const buffered: T[] = [];
  for (;;) {
    const next = await iterator.next();
    if (next.done) break;
    buffered.push(next.value);
    if (isUnderWay(next.value)) break;
  }
  return resumeProgress(buffered, iterator);
}

async function* resumeProgress<T>(
  buffered: readonly T[],
  iterator: AsyncIterator<T>,
): AsyncIterable<T> {
  try {
    yield* buffered;
    for (;;) {
      const next = await iterator.next();
      if (next.done) return;
      yield next.value;
    }
  } finally {
    await iterator.return?.();
  }
}

/** Returns an error's text for a stream whose status is out already. */
export function errorText(error: unknown): string {
  return printableLines(messageOf(error));
}
