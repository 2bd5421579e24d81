import type { FileHandle } from "node:fs/promises";

const CHUNK = 256 * 1024;

/** An open file from one byte to before another, as a stream that closes it. */
export function fileStream(file: FileHandle, start = 0, end = Infinity): ReadableStream<Uint8Array> {
  let at = start;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const length = Math.min(CHUNK, end - at);
      const buffer = new Uint8Array(Math.max(0, length));
      try {
        const bytesRead = length > 0 ? (await file.read(buffer, 0, length, at)).bytesRead : 0;
        if (bytesRead > 0) {
          at += bytesRead;
          controller.enqueue(buffer.subarray(0, bytesRead));
          return;
        }
      } catch (error) {
        await file.close();
        throw error;
      }
      await file.close();
      controller.close();
    },
    cancel: () => file.close(),
  }, { highWaterMark: 0 });
}
