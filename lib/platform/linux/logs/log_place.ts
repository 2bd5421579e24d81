/**
 * Finding the last records of a log file from its end.
 *
 * @module
 */
import { type FileHandle, open } from "node:fs/promises";
import type { LogPlace } from "../../../engine/ports/host_port.ts";
import { hasSystemCode } from "../../../oci/system_error.ts";
import { closeNow, factsOf, openNow, readNow } from "./read_now.ts";

/** Bytes of the block at the end, in which a few records are, and of those before it. */
const LAST_BLOCK = 32 * 1024;
/** Bytes that a record rarely has more of, and that are looked at in any case: what is read takes room and time. */
const USUAL_RECORD = 256;
const LEAST = 4 * 1024;
const CHUNK = 256 * 1024;
/** A line's head, `TIME STREAM F ` or `TIME STREAM P `, is within this many bytes. */
const HEAD = 64;
const NEWLINE = 10;
const SPACE = 32;
/** The letter of a line that is whole, or the end of one. */
const FULL = 70;

/** Opens a log for reading. */
export type OpenFile = (path: string) => Promise<FileHandle>;

/** Opens a log in the server's own folder, which nobody else writes to. */
export const openOwn: OpenFile = (path) => open(path, "r");

/**
 * Returns the place at which the last `records` records begin. Lines marked partial belong to the record of the line after them.
 * A missing file is an empty one.
 */
export async function findLogPlace(path: string, records: number, openFile: OpenFile = openOwn): Promise<LogPlace> {
  // A few records of a file on a disk of the server's own: going to another thread for each call takes many times as long.
  const near = openFile === openOwn ? placeInLastBlock(path, records) : undefined;
  if (near !== undefined) return near;
  let file: FileHandle;
  try {
    file = await openFile(path);
  } catch (error) {
    if (!hasSystemCode(error, "ENOENT")) throw error;
    return { offset: 0, file: "" };
  }
  try {
    const { id, size } = factsOf(file.fd);
    return { ...await tailStart(file, size, records), file: id };
  } finally {
    await file.close();
  }
}

/** At most `length` bytes from a position on; none at the end. */
export async function readAt(file: FileHandle, position: number, length: number): Promise<Uint8Array<ArrayBuffer>> {
  const buffer = new Uint8Array(length);
  const { bytesRead } = await file.read(buffer, 0, length, position);
  return buffer.subarray(0, bytesRead);
}

/** A place, with the bytes from there to the end if these are at hand. */
type TailStart = Pick<LogPlace, "offset" | "bytes">;

/** Looks for the place in the last block; `undefined` where it is before that, or the file cannot be read: whoever reads it next tells why. */
function placeInLastBlock(path: string, records: number): LogPlace | undefined {
  const file = openNow(path);
  if (file === undefined) return undefined;
  try {
    const { id, size } = factsOf(file);
    const usual = Math.min(LAST_BLOCK, Math.max(LEAST, records * USUAL_RECORD));
    for (const length of new Set([usual, LAST_BLOCK])) {
      const search = new TailSearch(size, records, length);
      const block = new Uint8Array(search.end - search.start);
      const found = search.look(block.subarray(0, readNow(file, block, search.start)));
      if (found) return { ...found, file: id };
    }
    return undefined;
  } catch {
    return undefined;
  } finally {
    closeNow(file);
  }
}

async function tailStart(file: FileHandle, size: number, records: number): Promise<TailStart> {
  const search = new TailSearch(size, records);
  for (;;) {
    const found = search.look(await readAt(file, search.start, search.end - search.start));
    if (found !== undefined) return found;
  }
}

/** A search from a file's end towards its start, block by block. */
class TailSearch {
  /** The next block: where it begins, and where it ends. */
  start: number;
  end: number;
  readonly #size: number;
  readonly #records: number;
  #found = 0;
  #lineEnd: number;
  /** The bytes after a block, so that the head of a line is whole where it lies across the border. */
  #after: Uint8Array = new Uint8Array(0);

  /** @param length Bytes of the first block */
  constructor(size: number, records: number, length = LAST_BLOCK) {
    this.#size = size;
    this.#records = records;
    this.#lineEnd = size;
    this.end = size;
    this.start = records <= 0 ? size : Math.max(0, size - length);
  }

  /** Looks through the next block; `undefined` where the place is before it. */
  look(read: Uint8Array): TailStart | undefined {
    if (this.#records <= 0) return { offset: this.#size };
    const { start, end } = this;
    const block = concatPair(read, this.#after);
    // Bytes that were read in one block need not be read again.
    const isLast = start + block.length === this.#size;
    const placed = (offset: number) => ({ offset, bytes: isLast ? block.subarray(offset - start) : undefined });
    for (let at = end - start - 1; at >= 0; at--) {
      if (block[at] !== NEWLINE || start + at === this.#size - 1) continue;
      if (isFull(block, at + 1) && ++this.#found > this.#records) return placed(this.#lineEnd);
      this.#lineEnd = start + at + 1;
    }
    if (start === 0) return placed(isFull(block, 0) && ++this.#found > this.#records ? this.#lineEnd : 0);
    this.#after = block.slice(0, HEAD);
    this.end = start;
    this.start = Math.max(0, start - CHUNK);
    return undefined;
  }
}

function concatPair(first: Uint8Array, second: Uint8Array): Uint8Array {
  if (second.length === 0) return first;
  const whole = new Uint8Array(first.length + second.length);
  whole.set(first);
  whole.set(second, first.length);
  return whole;
}

/** Whether the line that begins at `at` is no part of a longer one: `TIME STREAM F `. */
function isFull(block: Uint8Array, at: number): boolean {
  const end = Math.min(block.length, at + HEAD);
  const time = wordEnd(block, at, end);
  const stream = wordEnd(block, time + 1, end);
  const isHead = time > at && stream > time + 1 && block[time] === SPACE && block[stream] === SPACE;
  return isHead && stream + 1 < end && block[stream + 1] === FULL;
}

/** The place of the first space or newline from `at` on; `end` where there is none. */
function wordEnd(block: Uint8Array, at: number, end: number): number {
  while (at < end && block[at] !== SPACE && block[at] !== NEWLINE) at++;
  return at;
}
