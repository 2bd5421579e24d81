import type { Clock } from "../ports.ts";

/** Milliseconds between two reports of one layer's progress. */
const REPORT_INTERVAL = 100;

/**
 * Passes bytes through and tells now and then how many they were.
 *
 * @param offset How many came before
 */
export function counted(
  clock: Clock,
  offset: number,
  tell: (current: number) => void,
): TransformStream<Uint8Array, Uint8Array> {
  let current = offset;
  let reported = clock.now();
  return new TransformStream({
    transform(chunk, controller) {
      current += chunk.length;
      if (clock.now() - reported >= REPORT_INTERVAL) {
        reported = clock.now();
        tell(current);
      }
      controller.enqueue(chunk);
    },
  });
}
