import { Buffer } from "node:buffer";
import type { FileHandle } from "node:fs/promises";
import { FillReader } from "../../oci/bytes/fill_reader.ts";
import type { BlobIntake } from "./blob_intake.ts";
import type { FileHash } from "./file_hash.ts";

/** Bytes that are written at once. */
const CHUNK = 256 * 1024;
/** The length of a run of zeros that is left out of the file, in bytes; at the end of a chunk a shorter one is. */
const PIECE = 64 * 1024;
const SHORT_PIECE = 4 * 1024;
const ZEROS = Buffer.alloc(PIECE);

/** A blob on its way into the store. */
export interface Receipt {
  file: FileHandle;
  intake: BlobIntake;
  hash: FileHash;
}

/** Writes a stream to the end of what is taken in already, and digests it. */
export async function writeStream(
  source: ReadableStream<Uint8Array>,
  { file, intake, hash }: Receipt,
  signal: AbortSignal,
): Promise<void> {
  signal.throwIfAborted();
  const reader = new FillReader(source);
  const stop = () => void reader.cancel(signal.reason).catch(() => {});
  signal.addEventListener("abort", stop);
  // Two buffers in turn: one is filled while the other is written.
  const buffers = [new ArrayBuffer(CHUNK), new ArrayBuffer(CHUNK)];
  let writing: Promise<void> = Promise.resolve();
  let at = intake.size;
  try {
    for (;;) {
      const next = await reader.read(() => new Uint8Array(buffers.pop() ?? new ArrayBuffer(CHUNK)));
      signal.throwIfAborted();
      await writing;
      // Zeros at the end were not written.
      if (next.done) {
        await file.truncate(at);
        return hash.reach(at);
      }
      const { value } = next;
      // The write goes on in another thread while this one digests, and while the next bytes come.
      const end = at + value.length;
      writing = writeChunk(file, value, at).then(() => {
        hash.reach(end);
        if (reader.fills && value.buffer instanceof ArrayBuffer) buffers.push(value.buffer);
      });
      // Thrown where it is waited for.
      writing.catch(() => {});
      at += value.length;
      intake.take(value);
      // A source that makes its own chunks may reuse a chunk's buffer when the next one is requested.
      if (!reader.fills) await writing;
    }
  } catch (error) {
    await reader.cancel(error).catch(() => {});
    throw error;
  } finally {
    signal.removeEventListener("abort", stop);
    // The file is closed next.
    await writing.catch(() => {});
  }
}

/** Writes what is not zeros: the file has a hole there, as the one had that a container's layer was made of. */
async function writeChunk(file: FileHandle, chunk: Uint8Array, at: number): Promise<void> {
  for (let done = 0; done < chunk.length;) {
    let end = done;
    while (end < chunk.length && !isHole(chunk, end)) end += PIECE;
    end = Math.min(end, chunk.length);
    while (done < end) {
      const { bytesWritten } = await file.write(chunk, done, end - done, at + done);
      done += bytesWritten;
    }
    while (done < chunk.length && isHole(chunk, done)) done += PIECE;
  }
}

/** Whether a piece of zeros begins there. Chunks end anywhere: what is left of one may go on in the next. */
function isHole(chunk: Uint8Array, at: number): boolean {
  const size = Math.min(PIECE, chunk.length - at);
  // Of most chunks the first bytes tell.
  if (chunk[at] !== 0 || size < SHORT_PIECE) return false;
  return ZEROS.subarray(0, size).equals(chunk.subarray(at, at + size));
}
