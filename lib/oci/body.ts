/**
 * Reading foreign bodies within bounds.
 *
 * @module
 */
import { concat } from "./bytes.ts";

/** A foreign server that says nothing for this long is taken for gone, unless told otherwise. */
const TIMEOUT = 60_000;

const DISCARD_LIMIT = 16 * 1024;
const DISCARD_TIMEOUT = 1_000;

/** The whole body. As {@linkcode readStream}. */
export async function readBody(response: Response, limit: number, timeout = TIMEOUT): Promise<Uint8Array> {
  return response.body === null ? new Uint8Array(0) : await readStream(response.body, limit, timeout);
}

/**
 * The whole stream. Throws `RangeError` once it is longer than `limit` bytes, and an error when nothing comes for
 * `timeout` milliseconds; the stream is then cancelled.
 */
export async function readStream(
  stream: ReadableStream<Uint8Array>,
  limit: number,
  timeout = TIMEOUT,
): Promise<Uint8Array> {
  const reader = stream.getReader();
  const parts: Uint8Array[] = [];
  try {
    let size = 0;
    for (let next = await readInTime(reader, timeout); !next.done; next = await readInTime(reader, timeout)) {
      size += next.value.length;
      if (size > limit) throw new RangeError(`Read body: larger than ${limit} bytes`);
      parts.push(next.value);
    }
  } catch (error) {
    await reader.cancel(error).catch(() => {});
    throw error;
  }
  return concat(parts);
}

/** One read, which throws when nothing comes for `timeout` milliseconds. */
export async function readInTime(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  timeout: number,
): Promise<ReadableStreamReadResult<Uint8Array>> {
  return await inTime(reader.read(), timeout);
}

/** What a read gives, unless nothing comes for `timeout` milliseconds. */
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
export async function discard(response: Response): Promise<void> {
  await readBody(response, DISCARD_LIMIT, DISCARD_TIMEOUT).catch(() => {});
}
