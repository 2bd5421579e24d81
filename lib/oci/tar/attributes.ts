/**
 * Extended attributes of files in archives: PAX records `SCHILY.xattr.NAME`, as GNU tar, Go and libarchive write them.
 *
 * @module
 */
import { decodeLatin1, fromLatin1 } from "../bytes/bytes.ts";
import { LayerError } from "./layer_error.ts";
import { type PAXRecord, paxRecord } from "./pax.ts";

/** The beginning of such a record's key. */
export const ATTRIBUTE_KEY = "SCHILY.xattr.";
const NAME_LIMIT = 255;
/** Linux' bound on one attribute's value. */
const VALUE_LIMIT = 64 * 1024;
/** The attributes that go with a file from tree to tree; all others are its place's own (xattr(7)). */
const PORTABLE = /^(?:security\.(?:capability|ima)$|user\.(?!overlay\.))/;

/** Names and values in turn; each letter is a byte. */
export type Attributes = readonly string[];

/** Checks an attribute that a foreign archive gives. Throws {@linkcode LayerError}: `limit`, `corrupt`. */
export function checkAttribute(name: string, size: number): void {
  if (name.length > NAME_LIMIT || size > VALUE_LIMIT) {
    throw new LayerError("limit", "an extended attribute is too large");
  }
  // A zero byte would end the name for C programs, which then read the rest otherwise.
  if (name === "" || [...name].some((letter) => letter < " ")) {
    throw new LayerError("corrupt", "an extended attribute has a broken name");
  }
}

/** The attributes that a copy of the file keeps, checked; `undefined` where there is none, as of most files. */
export function portableAttributes(
  found: Iterable<readonly [name: string, value: Uint8Array]>,
): Attributes | undefined {
  const kept = new Map<string, string>();
  for (const [name, value] of found) {
    if (!PORTABLE.test(name)) continue;
    checkAttribute(name, value.length);
    kept.set(name, decodeLatin1(value));
  }
  return kept.size === 0 ? undefined : [...kept].sort(([a], [b]) => a < b ? -1 : 1).flat();
}

/** The same of an extended header's records. */
export function attributesIn(records: readonly PAXRecord[]): Attributes | undefined {
  const found = records.filter(({ key }) => key.startsWith(ATTRIBUTE_KEY));
  return portableAttributes(found.map(({ key, value }) => [key.slice(ATTRIBUTE_KEY.length), value]));
}

/** Names with their values. */
export function attributePairs(attributes: Attributes = []): [name: string, value: Uint8Array][] {
  const pairs: [string, Uint8Array][] = [];
  for (let at = 0; at < attributes.length; at += 2) pairs.push([attributes[at], fromLatin1(attributes[at + 1])]);
  return pairs;
}

/** The records of attributes. */
export function attributeRecords(attributes?: Attributes): Uint8Array[] {
  return attributePairs(attributes).map(([name, value]) => paxRecord(`${ATTRIBUTE_KEY}${name}`, value));
}
