/**
 * PAX extended headers (POSIX.1-2017 `pax`, "pax Extended Header"). Values stay bytes: extended attributes are binary.
 *
 * @module
 */
import { concatBytes, decodeLatin1, fromLatin1 } from "../bytes/bytes.ts";
import { LayerError } from "./layer_error.ts";

/** One record. */
export interface PAXRecord {
  /** One character per byte. */
  key: string;
  value: Uint8Array;
  /** The record whole, with its length and newline. */
  raw: Uint8Array;
}

/** Reads the records of an `x` block's body. Throws {@linkcode LayerError}. */
export function parsePAX(body: Uint8Array): PAXRecord[] {
  const records: PAXRecord[] = [];
  for (let at = 0; at < body.length;) {
    const { length, digits } = recordLength(body, at);
    const raw = body.subarray(at, at + length);
    const equals = raw.indexOf(0x3d, digits + 1);
    if (equals <= digits + 1 || raw[length - 1] !== 0x0a) throw brokenRecord();
    records.push({
      key: decodeLatin1(raw.subarray(digits + 1, equals)),
      value: raw.subarray(equals + 1, length - 1),
      raw,
    });
    at += length;
  }
  return records;
}

/** Writes one record. */
export function paxRecord(key: string, value: Uint8Array): Uint8Array {
  const rest = key.length + value.length + 3;
  let length = rest + String(rest).length;
  if (rest + String(length).length !== length) length = rest + String(length).length;
  return concatBytes([fromLatin1(`${length} ${key}=`), value, Uint8Array.of(0x0a)]);
}

function recordLength(body: Uint8Array, at: number): { length: number; digits: number } {
  let length = 0;
  let digits = 0;
  for (let byte = body[at]; byte >= 0x30 && byte <= 0x39 && digits < 10; byte = body[at + ++digits]) {
    length = length * 10 + byte - 0x30;
  }
  const fits = digits > 0 && body[at + digits] === 0x20 && length > digits + 2 && at + length <= body.length;
  if (!fits) throw brokenRecord();
  return { length, digits };
}

function brokenRecord(): LayerError {
  return new LayerError("corrupt", "an extended header is broken");
}
