import { tooLarge } from "../error.ts";

/** The bytes of a form that have come and are not taken yet, and those that will. */
export class PartSource {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  readonly #limit: number;
  // The first boundary has no line before it.
  #rest: Uint8Array = Uint8Array.of(13, 10);
  #size = 0;

  /** @param limit The most bytes that are read */
  constructor(body: ReadableStream<Uint8Array> | null, limit: number) {
    this.#reader = body?.getReader();
    this.#limit = limit;
  }

  /**
   * Takes bytes in front of a delimiter as they come; `undefined` once the delimiter itself is taken. They share no memory with what is still to be
   * taken: whoever gets them may give their buffer away.
   *
   * @throws {SyntaxError} if the delimiter does not come
   * @throws {HTTPError} 413 if too much comes
   */
  async before(delimiter: Uint8Array): Promise<Uint8Array | undefined> {
    for (;;) {
      const index = indexOf(this.#rest, delimiter);
      if (index === 0) {
        this.#rest = this.#rest.subarray(delimiter.length);
        return undefined;
      }
      const whole = this.#rest;
      const end = index > 0 ? index : whole.length - delimiter.length + 1;
      if (end > 0) {
        // The smaller part is copied: that behind the last possible begin of the delimiter, or that in front of it.
        this.#rest = index > 0 ? whole.subarray(end) : whole.slice(end);
        return index > 0 ? whole.slice(0, end) : whole.subarray(0, end);
      }
      const value = await this.#nextOrThrow();
      const border = joinTwo(whole, value.subarray(0, delimiter.length - 1));
      if (value.length < delimiter.length || indexOf(border, delimiter) >= 0) {
        this.#rest = joinTwo(whole, value);
      } else {
        // No delimiter begins before these bytes, which are not copied: a large file would leave twice its size to the garbage collector.
        this.#rest = value;
        if (whole.length > 0) return whole;
      }
    }
  }

  /** Whether a text is next; nothing is taken. */
  async startsWith(text: Uint8Array): Promise<boolean> {
    while (this.#rest.length < text.length) this.#rest = joinTwo(this.#rest, await this.#nextOrThrow());
    return text.every((byte, index) => this.#rest[index] === byte);
  }

  /** Reads to the end, and takes nothing. */
  async drain(): Promise<void> {
    this.#rest = new Uint8Array();
    while (await this.#next() !== undefined) { /* The text behind the last boundary says nothing. */ }
  }

  /** Lets the sender know that nothing more is read. */
  async close(reason?: unknown): Promise<void> {
    await this.#reader?.cancel(reason).catch(() => {});
  }

  async #nextOrThrow(): Promise<Uint8Array> {
    const value = await this.#next();
    if (value === undefined) throw new SyntaxError("it ends before its last boundary");
    return value;
  }

  async #next(): Promise<Uint8Array | undefined> {
    const { value } = await this.#reader?.read() ?? {};
    this.#size += value?.length ?? 0;
    if (this.#size > this.#limit) throw tooLarge(this.#limit);
    return value;
  }
}

function joinTwo(first: Uint8Array, second: Uint8Array): Uint8Array {
  const both = new Uint8Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}

function indexOf(bytes: Uint8Array, delimiter: Uint8Array): number {
  const last = bytes.length - delimiter.length;
  for (let at = bytes.indexOf(delimiter[0]); at >= 0 && at <= last; at = bytes.indexOf(delimiter[0], at + 1)) {
    if (delimiter.every((byte, index) => bytes[at + index] === byte)) return at;
  }
  return -1;
}
