import { tooLarge } from "../error.ts";

/** Bytes that are looked for among others. */
export class Delimiter {
  readonly bytes: Uint8Array;
  /** How far a search may go on behind each byte, if that is where the last one would be. */
  readonly #steps: Uint8Array;

  /** @param bytes At most 255 */
  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    this.#steps = new Uint8Array(256).fill(bytes.length);
    for (let i = 0; i < bytes.length - 1; i++) this.#steps[bytes[i]] = bytes.length - 1 - i;
  }

  get length(): number {
    return this.bytes.length;
  }

  /**
   * The place where the bytes begin among others; -1 where they do not (the search of Horspool). They are compared from the first on, a carriage
   * return: as no boundary has one, what was equal is not compared again, however the sender chooses boundary and content.
   */
  indexIn(others: Uint8Array): number {
    const { bytes } = this;
    const steps = this.#steps;
    const behind = bytes.length - 1;
    for (let end = behind; end < others.length; end += steps[others[end]]) {
      if (others[end] !== bytes[behind]) continue;
      const at = end - behind;
      let equal = 0;
      while (equal < behind && others[at + equal] === bytes[equal]) equal++;
      if (equal === behind) return at;
    }
    return -1;
  }
}

/** The bytes of a form that have come and are not taken yet, and those that will. */
export class PartSource {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  readonly #limit: number;
  /** Whether the pieces that come are ours alone: a stream of type `bytes` takes the memory of each from whoever gave it. */
  readonly #isOwner: boolean;
  // The first boundary has no line before it.
  #rest: Uint8Array = Uint8Array.of(13, 10);
  #size = 0;

  /** @param limit The most bytes that are read */
  constructor(body: ReadableStream<Uint8Array> | null, limit: number) {
    this.#isOwner = isByteStream(body);
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
  async before(delimiter: Delimiter): Promise<Uint8Array | undefined> {
    for (;;) {
      const index = delimiter.indexIn(this.#rest);
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
      if (value.length < delimiter.length || delimiter.indexIn(border) >= 0) {
        this.#rest = joinTwo(whole, value);
      } else {
        // No delimiter begins before these bytes, which are not copied: a large file would leave twice its size to the garbage collector.
        this.#rest = value;
        if (whole.length > 0) return whole;
      }
    }
  }

  /**
   * Frees the memory of bytes that were taken and are not read again. Pieces of the wire lie outside of the heap: until so many of them have come
   * that it is collected, they may take more than the form.
   */
  free(bytes: Uint8Array): void {
    // Node 20 has no `transfer`.
    if (this.#isOwner) (bytes.buffer as ArrayBuffer & { transfer?(size: number): ArrayBuffer }).transfer?.(0);
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

function isByteStream(body: ReadableStream<Uint8Array> | null): boolean {
  try {
    body?.getReader({ mode: "byob" }).releaseLock();
    return body !== null;
  } catch {
    return false;
  }
}

function joinTwo(first: Uint8Array, second: Uint8Array): Uint8Array {
  const both = new Uint8Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}
