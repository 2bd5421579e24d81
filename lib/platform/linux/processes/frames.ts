import { Buffer } from "node:buffer";
import type { Readable } from "node:stream";

/** One frame of the attach helper. */
export interface HelperFrame {
  stream: number;
  data: Uint8Array<ArrayBuffer>;
}

const HEAD = 5;

/** Cuts a byte stream into frames: stream (1 byte), length (4 bytes, big-endian), payload. */
export class FrameReader {
  readonly #chunks: AsyncIterator<Buffer>;
  #buffered: Buffer = Buffer.alloc(0);

  constructor(stream: Readable) {
    this.#chunks = stream[Symbol.asyncIterator]();
  }

  /** The next frame; `undefined` at the end, also of a stream that was destroyed or cut off. */
  async read(): Promise<HelperFrame | undefined> {
    if (!await this.#fill(HEAD)) return undefined;
    const length = this.#buffered.readUInt32BE(1);
    if (!await this.#fill(HEAD + length)) return undefined;
    const stream = this.#buffered[0]!;
    // A copy: the frame's reader may keep it, and the buffer is much larger.
    const data = new Uint8Array(this.#buffered.subarray(HEAD, HEAD + length));
    this.#buffered = this.#buffered.subarray(HEAD + length);
    return { stream, data };
  }

  async #fill(size: number): Promise<boolean> {
    const parts = [this.#buffered];
    let length = this.#buffered.length;
    while (length < size) {
      const next = await this.#chunks.next().catch(() => ({ done: true, value: undefined } as const));
      if (next.done || next.value === undefined) return false;
      parts.push(next.value);
      length += next.value.length;
    }
    if (parts.length > 1) this.#buffered = Buffer.concat(parts);
    return true;
  }
}
