/**
 * Reading the supervisor's log files.
 *
 * @module
 */
import { type FileHandle, open, stat } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import type { LogReadOptions } from "../../../engine/ports.ts";

const CHUNK = 256 * 1024;
/** How often a followed file is looked at: often while it grows. */
const BUSY = 10;
const IDLE = 50;
/** A line's head, `TIME STREAM F ` or `TIME STREAM P `, is within this many bytes. */
const HEAD = 64;
const NEWLINE = 10;

/**
 * The log's bytes. One that is followed goes on as the file grows, and through its replacement (conmon starts a new file at
 * the size limit), until `followUntil` has resolved and the end is reached. A missing file is an empty one.
 */
export function readLogFile(path: string, options: LogReadOptions): ReadableStream<Uint8Array> {
  const chunks = readChunks(path, options);
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await chunks.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      await chunks.return(undefined);
    },
  }, { highWaterMark: 0 });
}

async function* readChunks(path: string, options: LogReadOptions): AsyncGenerator<Uint8Array<ArrayBuffer>, undefined> {
  const { followUntil, signal, tailRecords } = options;
  let ended = followUntil === undefined;
  followUntil?.then(() => ended = true, () => ended = true);
  let file = await openExisting(path);
  let pause = BUSY;
  try {
    let position = file && tailRecords !== undefined ? await tailStart(file, tailRecords) : 0;
    while (!signal?.aborted) {
      // Asked before the read: what is written before the end is read then.
      const last = ended;
      file ??= await openExisting(path);
      const chunk = file && await readAt(file, position, CHUNK);
      if (chunk && chunk.length > 0) {
        position += chunk.length;
        pause = BUSY;
        yield chunk;
        continue;
      }
      if (file && await isReplaced(file, path)) {
        // Between the read above and the replacement more may have been written.
        const rest = await readAt(file, position, CHUNK);
        if (rest.length > 0) {
          position += rest.length;
          yield rest;
          continue;
        }
        await file.close();
        file = undefined;
        position = 0;
        continue;
      }
      if (last) return undefined;
      await sleep(pause, undefined, { signal }).catch(() => {});
      pause = Math.min(IDLE, pause * 1.5);
    }
  } finally {
    await file?.close();
  }
  return undefined;
}

async function openExisting(path: string): Promise<FileHandle | undefined> {
  return await open(path, "r").catch((error) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
}

async function readAt(file: FileHandle, position: number, length: number): Promise<Uint8Array<ArrayBuffer>> {
  const buffer = new Uint8Array(length);
  const { bytesRead } = await file.read(buffer, 0, length, position);
  return buffer.subarray(0, bytesRead);
}

async function isReplaced(file: FileHandle, path: string): Promise<boolean> {
  const [own, named] = await Promise.all([file.stat(), stat(path).catch(() => undefined)]);
  return named !== undefined && (named.ino !== own.ino || named.dev !== own.dev);
}

/** Where the last `records` records begin. Lines marked partial belong to the record of the line after them. */
async function tailStart(file: FileHandle, records: number): Promise<number> {
  const { size } = await file.stat();
  if (records <= 0) return size;
  let found = 0;
  let lineEnd = size;
  // The bytes after a block, so that the head of a line is whole where it lies across the border.
  let after: Uint8Array = new Uint8Array(0);
  for (let end = size; end > 0;) {
    const start = Math.max(0, end - CHUNK);
    const block = concat(await readAt(file, start, end - start), after);
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

function concat(first: Uint8Array, second: Uint8Array): Uint8Array {
  const whole = new Uint8Array(first.length + second.length);
  whole.set(first);
  whole.set(second, first.length);
  return whole;
}

function isFull(head: Uint8Array): boolean {
  return /^\S+ \S+ F/.test(new TextDecoder().decode(head));
}
