import { concatBytes } from "./bytes.ts";

/** Takes bytes off a stream in the amounts that a format asks for. */
export class ByteReader {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  #rest: Uint8Array = new Uint8Array(0);
  #offset = 0;

  constructor(stream: ReadableStream<Uint8Array>) {
    this.#reader = stream.getReader();
  }

  /** How many bytes were taken. */
  get offset(): number {
    return this.#offset;
  }

  /** The next bytes, at least one and at most `most`; `undefined` at the end. */
  async some(most: number): Promise<Uint8Array | undefined> {
    while (this.#rest.length === 0) {
      const { value } = await this.#reader.read();
      if (value === undefined) return undefined;
      this.#rest = value;
    }
    const bytes = this.#rest.subarray(0, most);
    this.#rest = this.#rest.subarray(bytes.length);
    this.#offset += bytes.length;
    return bytes;
  }

  /** The next `length` bytes, or fewer where the stream ends before. Gathers them: for small amounts. */
  async exactly(length: number): Promise<Uint8Array> {
    const parts: Uint8Array[] = [];
    for (let left = length; left > 0;) {
      const bytes = await this.some(left);
      if (bytes === undefined) break;
      parts.push(bytes);
      left -= bytes.length;
    }
    return parts.length === 1 ? parts[0] : concatBytes(parts);
  }

  /** Lets go of the stream, with whatever it still has. */
  async cancel(reason?: unknown): Promise<void> {
    this.#rest = new Uint8Array(0);
    await this.#reader.cancel(reason).catch(() => {});
  }
}
