import { tapStream } from "../../../oci/bytes/byte_stream.ts";
import type { Clock } from "../../ports/ports.ts";

/** Milliseconds between two reports of one layer's progress. */
const REPORT_INTERVAL = 100;

/**
 * The stream unchanged; it tells now and then how many bytes have passed.
 *
 * @param offset How many came before
 */
export function countBytes(
  source: ReadableStream<Uint8Array>,
  { clock, offset }: { clock: Clock; offset: number },
  tell: (current: number) => void,
): ReadableStream<Uint8Array> {
  let current = offset;
  const report = throttled(clock, tell);
  return tapStream(source, { see: (bytes) => report(current += bytes?.length ?? 0) });
}

/** Tells of what it is told, but not more often than anybody looks. */
export function throttled(clock: Clock, tell: (current: number) => void): (current: number) => void {
  let reported = clock.now();
  return (current) => {
    if (clock.now() - reported < REPORT_INTERVAL) return;
    reported = clock.now();
    tell(current);
  };
}
