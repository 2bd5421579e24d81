import type { Retention, StreamExtent } from "../../engine/ports/ports.ts";

/** An amount of records and of the bytes of their values. */
export interface Amount {
  records: number;
  bytes: number;
}

const encoder = new TextEncoder();

/** The bytes of a text in UTF-8. */
export function sizeOf(text: string): number {
  return encoder.encode(text).length;
}

/**
 * How much of a stream's oldest end has to go, so that the rest is within its retention.
 *
 * @param retention What is kept
 * @param amount What there is
 * @param sizes The bytes of each record, the oldest first; no more of them are taken than needed
 * @param most How much may go at once; a single record may be larger
 */
export function countBeyond(
  retention: Retention,
  amount: Readonly<Amount>,
  sizes: Iterable<number>,
  most: Amount = { records: Infinity, bytes: Infinity },
): Amount {
  const { records = Infinity, bytes = Infinity } = retention;
  const gone = { records: 0, bytes: 0 };
  const isOver = () => amount.records - gone.records > records || amount.bytes - gone.bytes > bytes;
  if (!isOver()) return gone;
  for (const size of sizes) {
    gone.records++;
    gone.bytes += size;
    if (!isOver() || gone.records >= most.records || gone.bytes >= most.bytes) break;
  }
  return gone;
}

/** The extent of a stream: one without records has no time, whatever the last one's was. */
export function extentOf({ first, last, time }: StreamExtent): StreamExtent {
  return { first, last, time: first > last ? undefined : time };
}
