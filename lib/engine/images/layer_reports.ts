/**
 * Reports of how far the layers of a pull or a push are.
 *
 * @module
 */
import { tapStream } from "../../oci/bytes/byte_stream.ts";
import type { Descriptor } from "../../oci/descriptor.ts";
import type { Clock } from "../ports/ports.ts";

/** The report on one layer, in a state of a pull or of a push. */
interface LayerReport<State extends string> {
  kind: "layer";
  digest: string;
  state: State;
  current: number;
  total: number;
}

/** Milliseconds between two reports of one layer's progress. */
const REPORT_INTERVAL = 100;

/**
 * Returns the stream unchanged; it reports now and then how many bytes have passed.
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

/** Reports that a layer is in a state, with `current` bytes of it done. */
export function reportLayer<State extends string>(
  { tell }: { tell(report: LayerReport<State>): void },
  { digest, size }: Descriptor,
  state: State,
  current: number,
): void {
  tell({ kind: "layer", digest, state, current, total: size });
}

/** Passes on at most one figure each {@linkcode REPORT_INTERVAL}, counted from now: clients draw no faster. */
export function throttled(clock: Clock, tell: (current: number) => void): (current: number) => void {
  let reported = clock.now();
  return (current) => {
    if (clock.now() - reported < REPORT_INTERVAL) return;
    reported = clock.now();
    tell(current);
  };
}
