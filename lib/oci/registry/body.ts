/**
 * Reading foreign bodies within bounds.
 *
 * @module
 */

/** A foreign server that says nothing for this long is taken for gone, unless told otherwise. */
const TIMEOUT = 60_000;

/** Bytes that are set aside for a body before any came. */
const FIRST_ROOM = 16 * 1024;
/** Pieces that a body may come in, and the bytes that allow one more: what a piece costs has little to do with its length. */
const PIECES = 256;
const BYTES_PER_PIECE = 64;
const DISCARD_LIMIT = 16 * 1024;
const DISCARD_TIMEOUT = 1_000;

/** The whole body. As {@linkcode readStream}. */
export async function readBody(response: Response, limit: number, timeout = TIMEOUT): Promise<Uint8Array> {
  return response.body === null ? new Uint8Array(0) : await readStream(response.body, limit, timeout);
}

/**
 * Reads a whole stream. Throws `RangeError` once it is longer than `limit` bytes, or comes in far too many pieces, and an error
 * when nothing comes for `timeout` milliseconds; the stream is then cancelled.
 */
export async function readStream(
  stream: ReadableStream<Uint8Array>,
  limit: number,
  timeout = TIMEOUT,
): Promise<Uint8Array> {
  const reader = stream.getReader();
  // Chunks are copied as they come: one of a single byte may be a view of 64 KiB, and a foreign server can send millions.
  let bytes = new Uint8Array(Math.min(limit, FIRST_ROOM));
  let size = 0;
  let pieces = 0;
  try {
    for (let next = await readInTime(reader, timeout); !next.done; next = await readInTime(reader, timeout)) {
      const end = size + next.value.length;
      if (end > limit) throw new RangeError(`Read body: larger than ${limit} bytes`);
      if (++pieces > PIECES + end / BYTES_PER_PIECE) {
        throw new RangeError(`Read body: ${pieces} pieces for ${end} bytes`);
      }
      if (end > bytes.length) {
        const larger = new Uint8Array(Math.min(limit, Math.max(end, bytes.length * 2)));
        larger.set(bytes.subarray(0, size));
        bytes = larger;
      }
      bytes.set(next.value, size);
      size = end;
    }
  } catch (error) {
    await reader.cancel(error).catch(() => {});
    throw error;
  }
  return bytes.slice(0, size);
}

/** One read, which throws when nothing comes for `timeout` milliseconds. */
export async function readInTime(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  timeout: number,
): Promise<ReadableStreamReadResult<Uint8Array>> {
  return await inTime(reader.read(), timeout);
}

/** Returns the result of a read; rejects if nothing comes for `timeout` milliseconds. */
export async function inTime<T>(read: Promise<T>, timeout: number): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error("timeout awaiting the rest of the body")), timeout);
  try {
    return await Promise.race([read, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Ends a response whose body nobody wants. A short one is read, which keeps its connection for the next request. */
export async function discardBody(response: Response): Promise<void> {
  await readBody(response, DISCARD_LIMIT, DISCARD_TIMEOUT).catch(() => {});
}
