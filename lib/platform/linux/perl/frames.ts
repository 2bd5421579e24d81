import { Buffer } from "node:buffer";
import type { Readable } from "node:stream";
import { free } from "../../../oci/bytes/byte_stream.ts";

/** One frame of the attach helper. */
export interface HelperFrame {
  stream: number;
  /** Belongs to who reads the frame. */
  data: Uint8Array<ArrayBuffer>;
}

const HEAD = 5;

/** Cuts a byte stream into frames: stream (1 byte), length (4 bytes, big-endian), payload. */
export class FrameReader {
  readonly #chunks: AsyncIterator<Buffer>;
  readonly #head = Buffer.alloc(HEAD);
  #chunk: Uint8Array = new Uint8Array(0);
  #at = 0;

  constructor(stream: Readable) {
    this.#chunks = stream[Symbol.asyncIterator]();
  }

  /** The next frame; `undefined` at the end, also of a stream that was destroyed or cut off. */
  async read(): Promise<HelperFrame | undefined> {
    if (!await this.#fill(this.#head)) return undefined;
    const data = new Uint8Array(this.#head.readUInt32BE(1));
    return await this.#fill(data) ? { stream: this.#head[0]!, data } : undefined;
  }

  async #fill(target: Uint8Array): Promise<boolean> {
    for (let filled = 0; filled < target.length;) {
      if (this.#at === this.#chunk.length) {
        free(this.#chunk);
        const next = await this.#chunks.next().catch(() => ({ done: true, value: undefined } as const));
        if (next.done || next.value === undefined) return false;
        this.#chunk = next.value;
        this.#at = 0;
      }
      const part = this.#chunk.subarray(this.#at, this.#at + target.length - filled);
      target.set(part, filled);
      filled += part.length;
      this.#at += part.length;
    }
    return true;
  }
}
