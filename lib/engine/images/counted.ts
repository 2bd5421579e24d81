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
  const report = nowAndThen(clock, tell);
  return new TransformStream({
    transform(chunk, controller) {
      report(current += chunk.length);
      controller.enqueue(chunk);
    },
  });
}

/** Tells of what it is told, but not more often than anybody looks. */
export function nowAndThen(clock: Clock, tell: (current: number) => void): (current: number) => void {
  let reported = clock.now();
  return (current) => {
    if (clock.now() - reported < REPORT_INTERVAL) return;
    reported = clock.now();
    tell(current);
  };
}
