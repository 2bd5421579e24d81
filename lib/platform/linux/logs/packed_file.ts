import type { FileHandle } from "node:fs/promises";
import { readAt } from "./log_place.ts";

const CHUNK = 256 * 1024;

/** The bytes of a file that gzip has compressed, without the first `offset` of them. Closes the file. */
export async function* unpackFile(file: FileHandle, offset: number): AsyncGenerator<Uint8Array, undefined> {
  let rest = offset;
  try {
    const packed = ReadableStream.from(readWhole(file) as AsyncIterable<Uint8Array<ArrayBuffer>>);
    for await (const chunk of packed.pipeThrough(new DecompressionStream("gzip"))) {
      if (rest < chunk.length) yield rest === 0 ? chunk : chunk.subarray(rest);
      rest = Math.max(0, rest - chunk.length);
    }
  } finally {
    await file.close();
  }
  return undefined;
}

async function* readWhole(file: FileHandle): AsyncGenerator<Uint8Array, undefined> {
  for (let position = 0;;) {
    const chunk = await readAt(file, position, CHUNK);
    if (chunk.length === 0) return undefined;
    position += chunk.length;
    yield chunk;
  }
}
