/** What {@linkcode FillReader.read} gives: bytes, or the end. */
export type Filled = { done: false; value: Uint8Array } | { done: true };

/**
 * Reads a stream into buffers that are used again, where the stream can fill those it is given ("bring your own buffer"): reading
 * it then leaves nothing for the garbage collector. Other streams give chunks of their own.
 */
export class FillReader {
  /** Whether buffers are filled. What {@linkcode FillReader.read} gave is then no longer read from elsewhere, and may be given back. */
  readonly fills: boolean;
  readonly #byob: ReadableStreamBYOBReader | undefined;
  readonly #plain: ReadableStreamDefaultReader<Uint8Array> | undefined;

  constructor(stream: ReadableStream<Uint8Array>) {
    try {
      this.#byob = stream.getReader({ mode: "byob" });
    } catch (error) {
      // A locked one is no stream to read from in either way.
      if (stream.locked) throw error;
      this.#plain = stream.getReader();
    }
    this.fills = this.#byob !== undefined;
  }

  /** The next bytes. The view, and its buffer with it, is gone afterwards; what was read lies in one of the same size and at the same place. */
  async read(view: () => Uint8Array<ArrayBuffer>): Promise<Filled> {
    if (this.#byob !== undefined) {
      const { value, done } = await this.#byob.read(view());
      return done ? { done } : { done, value };
    }
    const { value } = await this.#plain!.read();
    return value === undefined ? { done: true } : { done: false, value };
  }

  /** Lets go of the stream with whatever it still has; a read under way then ends. */
  async cancel(reason?: unknown): Promise<void> {
    await (this.#byob ?? this.#plain)!.cancel(reason);
  }
}
