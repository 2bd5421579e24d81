import { byteStream } from "../../lib/oci/bytes/byte_stream.ts";

/** Bytes of a piece. */
const PIECE = 64 << 10;

/** How many turns of the microtask queue a value has to arrive in to count as at hand. */
const TURNS = 8;

/** Bytes of the first buffer: many streams are shorter. */
const FIRST = 4 << 10;

/** A piece in the making. */
export class Piece {
  size = 0;
  #bytes = new Uint8Array(FIRST);

  /** Copies bytes to its end. */
  add(bytes: Uint8Array): void {
    // Making room may replace the buffer.
    const at = this.#room(bytes.length);
    this.#bytes.set(bytes, at);
  }

  /** Adds a 32-bit number, big-endian. */
  addUint32(value: number): void {
    const at = this.#room(4);
    this.#bytes[at] = value >>> 24;
    this.#bytes[at + 1] = value >>> 16;
    this.#bytes[at + 2] = value >>> 8;
    this.#bytes[at + 3] = value;
  }

  /** Hands a copy of the bytes over; the next piece begins. */
  take(): Uint8Array<ArrayBuffer> {
    const bytes = this.#bytes.slice(0, this.size);
    this.size = 0;
    return bytes;
  }

  /** Makes room at its end and tells where that begins. */
  #room(length: number): number {
    const at = this.size;
    this.size += length;
    if (this.size > this.#bytes.length) {
      const grown = new Uint8Array(Math.max(this.size, this.#bytes.length * 2));
      grown.set(this.#bytes.subarray(0, at));
      this.#bytes = grown;
    }
    return at;
  }
}

/**
 * Makes the body of an answer of a sequence that waits for nothing: its bytes where it is short, which go out with the answer's head, else a
 * stream of them.
 *
 * @param write As with {@linkcode gatherPieces}
 */
export async function gatherBody<T>(
  source: AsyncIterable<T>,
  write: (value: T, piece: Piece) => void,
): Promise<Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>> {
  const iterator = source[Symbol.asyncIterator]();
  const begun = new Piece();
  while (begun.size < PIECE) {
    const { done, value } = await iterator.next();
    if (done) return begun.take();
    write(value, begun);
  }
  return gatherPieces({ [Symbol.asyncIterator]: () => iterator }, write, { begun });
}

/**
 * Makes a stream of type `bytes` of a sequence: what is at hand at once goes out as one piece, and nothing waits for more.
 * Cancelling the stream ends the sequence.
 *
 * @param source The sequence
 * @param write Adds one value's bytes to a piece. The value is needed no more afterwards
 * @param options `enough`: bytes after which a piece goes out though more is at hand; `begun`: what comes before the sequence
 */
export function gatherPieces<T>(
  source: AsyncIterable<T>,
  write: (value: T, piece: Piece) => void,
  { enough = PIECE, begun: piece = new Piece() }: { enough?: number; begun?: Piece } = {},
): ReadableStream<Uint8Array> {
  const iterator = source[Symbol.asyncIterator]();
  // The value that was asked for last, and what became of it. Kept between pulls, and made without closures: logs have
  // millions of values.
  let ahead: Promise<IteratorResult<T>> | undefined;
  let state: "waiting" | "there" | "failed" = "waiting";
  const onThere = () => void (state = "there");
  const onFailed = () => void (state = "failed");
  const ask = () => {
    state = "waiting";
    ahead = iterator.next();
    ahead.then(onThere, onFailed);
    return ahead;
  };
  return byteStream({
    async next() {
      for (;;) {
        const next = ahead ?? ask();
        if (piece.size > 0) {
          for (let turn = 0; turn < TURNS && state === "waiting"; turn++) await undefined;
          // An error waits for the piece before it to be out.
          if (state !== "there") return piece.take();
        }
        const { done, value } = await next;
        ahead = undefined;
        if (done) {
          // The end is asked for once more.
          if (piece.size > 0) ahead = next;
          return piece.size > 0 ? piece.take() : undefined;
        }
        write(value, piece);
        if (piece.size >= enough) return piece.take();
      }
    },
    async cancel() {
      await iterator.return?.();
    },
  });
}
