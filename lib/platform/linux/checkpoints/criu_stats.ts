/**
 * CRIU's statistics: the images `stats-dump` and `stats-restore`, a protobuf message each behind two magic numbers and a length
 * (criu's `images/stats.proto`).
 *
 * @module
 */
import type { CRIUStatistics } from "../../../engine/ports/checkpoint_port.ts";

const SERVICE_MAGIC = 0x55105940;
const STATS_MAGIC = 0x57093306;
const HEADER = 12;

/** Reads such an image; nothing of one that is none. */
export function readCRIUStats(image: Uint8Array): CRIUStatistics {
  const view = new DataView(image.buffer, image.byteOffset, image.byteLength);
  if (image.length < HEADER || view.getUint32(0, true) !== SERVICE_MAGIC || view.getUint32(4, true) !== STATS_MAGIC) {
    return {};
  }
  const entry = lineFields(image.subarray(HEADER, HEADER + view.getUint32(8, true)));
  const dump = entry.get(1);
  const restore = entry.get(2);
  return {
    ...dump instanceof Uint8Array && { dump: dumpOf(numberReader(dump)) },
    ...restore instanceof Uint8Array && { restore: restoreOf(numberReader(restore)) },
  };
}

function dumpOf(number: (field: number) => number): CRIUStatistics["dump"] {
  return {
    freezingTime: number(1),
    frozenTime: number(2),
    memdumpTime: number(3),
    memwriteTime: number(4),
    pagesScanned: number(5),
    pagesWritten: number(7),
  };
}

function restoreOf(number: (field: number) => number): CRIUStatistics["restore"] {
  return {
    pagesCompared: number(1),
    pagesSkippedCow: number(2),
    forkingTime: number(3),
    restoreTime: number(4),
    pagesRestored: number(5),
  };
}

function numberReader(message: Uint8Array): (field: number) => number {
  const found = lineFields(message);
  return (field) => {
    const value = found.get(field);
    return typeof value === "number" ? value : 0;
  };
}

/** The fields of a message: numbers, and messages within. A field that is cut off counts as absent. */
function lineFields(message: Uint8Array): Map<number, number | Uint8Array> {
  const found = new Map<number, number | Uint8Array>();
  let at = 0;
  const varint = () => {
    let value = 0n;
    for (let shift = 0n; at < message.length && shift < 64n; shift += 7n) {
      const byte = message[at++]!;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) break;
    }
    return Number(value);
  };
  while (at < message.length) {
    const key = varint();
    const field = Math.floor(key / 8);
    if (key % 8 === 0) found.set(field, varint());
    else if (key % 8 === 2) {
      const length = varint();
      found.set(field, message.subarray(at, at + length));
      at += length;
    } else break;
  }
  return found;
}
