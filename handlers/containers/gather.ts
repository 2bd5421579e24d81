/** Bytes after which a piece goes out though more is at hand. */
const PIECE = 64 << 10;

/** How many turns of the microtask queue a value has to arrive in to count as at hand. */
const TURNS = 8;

/**
 * Makes a byte stream of a sequence: what is at hand at once goes out as one piece, and nothing waits for more. Cancelling
 * the stream ends the sequence.
 *
 * @param source The sequence
 * @param encode Bytes of one value, in parts
 */
export function gather<T>(
  source: AsyncIterable<T>,
  encode: (value: T) => readonly Uint8Array[],
): ReadableStream<Uint8Array> {
  const iterator = source[Symbol.asyncIterator]();
  let ahead: Ahead<T> | undefined;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const parts: Uint8Array[] = [];
      let size = 0;
      do {
        ahead ??= new Ahead(iterator);
        if (size > 0 && !await ahead.isAtHand()) break;
        // An error waits for the piece before it to be out.
        if (size > 0 && ahead.failed) break;
        const next = await ahead.result;
        ahead = undefined;
        if (next.done) {
          if (size > 0) controller.enqueue(join(parts, size));
          return controller.close();
        }
        for (const part of encode(next.value)) {
          parts.push(part);
          size += part.length;
        }
      } while (size < PIECE);
      controller.enqueue(join(parts, size));
    },
    async cancel() {
      await iterator.return?.();
    },
  }, { highWaterMark: 0 });
}

/** A value that was asked for. */
class Ahead<T> {
  readonly result: Promise<IteratorResult<T>>;
  #settled = false;
  failed = false;

  constructor(iterator: AsyncIterator<T>) {
    this.result = iterator.next();
    this.result.then(() => this.#settled = true, () => this.#settled = this.failed = true);
  }

  async isAtHand(): Promise<boolean> {
    for (let turn = 0; turn < TURNS && !this.#settled; turn++) await undefined;
    return this.#settled;
  }
}

function join(parts: readonly Uint8Array[], size: number): Uint8Array {
  if (parts.length === 1) return parts[0];
  const out = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}
