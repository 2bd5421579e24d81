import type { PullProgress } from "../../lib/engine/images/types.ts";

/**
 * Starts a pull and waits until it has something to tell: what fails before that still has a status of its own. The
 * progress is then whole, its first value included.
 */
export async function begin(progress: AsyncIterable<PullProgress>): Promise<AsyncIterable<PullProgress>> {
  const iterator = progress[Symbol.asyncIterator]();
  const buffered: PullProgress[] = [];
  // Words alone do not say that the image is there: the first layer, or the end, does.
  for (;;) {
    const next = await iterator.next();
    if (next.done) break;
    buffered.push(next.value);
    if (next.value.kind !== "status") break;
  }
  return resume(buffered, iterator);
}

async function* resume(
  buffered: readonly PullProgress[],
  iterator: AsyncIterator<PullProgress>,
): AsyncIterable<PullProgress> {
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

/** What went wrong, as text for a stream whose status is out already. */
export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
