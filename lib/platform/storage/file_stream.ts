import type { FileHandle } from "node:fs/promises";
import { byteStream } from "../../oci/bytes/byte_stream.ts";

const CHUNK = 256 * 1024;

/** An open file from one byte to before another, as a stream of type `bytes` that closes it. */
export function fileStream(file: FileHandle, start = 0, end = Infinity): ReadableStream<Uint8Array> {
  let at = start;
  const read = async () => {
    const length = Math.min(CHUNK, end - at);
    if (length <= 0) return undefined;
    const buffer = new Uint8Array(length);
    const { bytesRead } = await file.read(buffer, 0, length, at);
    at += bytesRead;
    return bytesRead === 0 ? undefined : buffer.subarray(0, bytesRead);
  };
  return byteStream({
    async next() {
      try {
        const bytes = await read();
        if (bytes === undefined) await file.close();
        return bytes;
      } catch (error) {
        await file.close();
        throw error;
      }
    },
    cancel: () => file.close(),
  });
}
