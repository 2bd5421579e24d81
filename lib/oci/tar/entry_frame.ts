import type { EntryKind } from "./layer_rewriter.ts";

/** The letters of an entry's kinds; a block device is `b`. */
export const ENTRY_LETTERS: Record<EntryKind, string> = {
  file: "f",
  folder: "d",
  symlink: "l",
  hardlink: "h",
  device: "c",
  fifo: "p",
};
/** A file whose content does not follow, but lies in a file of the reader's: its link is `number:offset`. No archive has such an entry. */
export const STORED_LETTER = "s";

/** An entry for whoever makes it in a tree. The letters of texts are bytes. */
export interface FramedEntry {
  /** One of {@linkcode ENTRY_LETTERS}, `b`, or {@linkcode STORED_LETTER}. */
  letter: string;
  /** Below the target. */
  path: string;
  /** The target of a link. */
  link: string;
  mode: number;
  uid: number;
  gid: number;
  /** Seconds since the epoch, and what is left in nanoseconds. */
  mtime: number;
  nanos?: number;
  /** Numbers of a device. */
  major?: number;
  minor?: number;
  /** Bytes of a file. */
  size: number;
  /** Names and values of extended attributes, in turn. */
  attributes?: readonly string[];
}

/**
 * An entry as a frame: its length (4 bytes, big-endian), and then its fields, each behind a length of its own: letter, path, link target, mode,
 * owner, group, seconds, nanoseconds, device numbers, size, names and values of extended attributes.
 */
export function entryFrame(entry: FramedEntry): Uint8Array {
  const { letter, path, link, mode, uid, gid, mtime, nanos = 0, major = 0, minor = 0, size, attributes = [] } = entry;
  const numbers = [mode, uid, gid, mtime, nanos, major, minor, size].map(String);
  return frameFields([letter, path, link, ...numbers, ...attributes]);
}

/** The frame behind the last entry. */
export function lastFrame(): Uint8Array {
  return new Uint8Array(4);
}

/** Fields whose letters are bytes, each behind its length, and all of them behind theirs. */
function frameFields(fields: readonly string[]): Uint8Array {
  const length = fields.reduce((sum, field) => sum + 4 + field.length, 0);
  const frame = new Uint8Array(4 + length);
  let at = writeLength(frame, 0, length);
  for (const field of fields) {
    at = writeLength(frame, at, field.length);
    for (let letter = 0; letter < field.length; letter++) frame[at++] = field.charCodeAt(letter);
  }
  return frame;
}

/** Writes four bytes, the highest first, and returns the place behind them. */
function writeLength(bytes: Uint8Array, at: number, length: number): number {
  for (let shift = 24; shift >= 0; shift -= 8) bytes[at++] = length >>> shift & 255;
  return at;
}
