/**
 * Finding the last records of a log file from its end.
 *
 * @module
 */
import { type FileHandle, open } from "node:fs/promises";
import type { LogPlace } from "../../../engine/ports/host_port.ts";

const CHUNK = 256 * 1024;
/** A line's head, `TIME STREAM F ` or `TIME STREAM P `, is within this many bytes. */
const HEAD = 64;
const NEWLINE = 10;

/** Opens a log for reading. */
export type OpenFile = (path: string) => Promise<FileHandle>;

/** Opens a log in the server's own folder, which nobody else writes to. */
export const openOwn: OpenFile = (path) => open(path, "r");

/**
 * Returns the place at which the last `records` records begin. Lines marked partial belong to the record of the line after them.
 * A missing file is an empty one.
 */
export async function findLogPlace(path: string, records: number, openFile: OpenFile = openOwn): Promise<LogPlace> {
  let file: FileHandle;
  try {
    file = await openFile(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    return { offset: 0, file: "" };
  }
  try {
    return { offset: await tailStart(file, records), file: await fileID(file) };
  } finally {
    await file.close();
  }
}

/** Tells a file from those before and after it under the same name; an inode's number alone comes again. */
export async function fileID(file: FileHandle): Promise<string> {
  const { dev, ino, birthtimeMs } = await file.stat();
  return `${dev}:${ino}:${birthtimeMs}`;
}

/** At most `length` bytes from a position on; none at the end. */
export async function readAt(file: FileHandle, position: number, length: number): Promise<Uint8Array<ArrayBuffer>> {
  const buffer = new Uint8Array(length);
  const { bytesRead } = await file.read(buffer, 0, length, position);
  return buffer.subarray(0, bytesRead);
}

async function tailStart(file: FileHandle, records: number): Promise<number> {
  const { size } = await file.stat();
  if (records <= 0) return size;
  let found = 0;
  let lineEnd = size;
  // The bytes after a block, so that the head of a line is whole where it lies across the border.
  let after: Uint8Array = new Uint8Array(0);
  for (let end = size; end > 0;) {
    const start = Math.max(0, end - CHUNK);
    const block = concatPair(await readAt(file, start, end - start), after);
    for (let at = end - start - 1; at >= 0; at--) {
      if (block[at] !== NEWLINE || start + at === size - 1) continue;
      if (isFull(block.subarray(at + 1, at + 1 + HEAD)) && ++found > records) return lineEnd;
      lineEnd = start + at + 1;
    }
    after = block.slice(0, HEAD);
    end = start;
  }
  return isFull(after) && ++found > records ? lineEnd : 0;
}

function concatPair(first: Uint8Array, second: Uint8Array): Uint8Array {
  const whole = new Uint8Array(first.length + second.length);
  whole.set(first);
  whole.set(second, first.length);
  return whole;
}

function isFull(head: Uint8Array): boolean {
  return /^\S+ \S+ F/.test(new TextDecoder().decode(head));
}
