/** A piece of a program's output. */
export interface Piece {
  /** Whether it is of standard error. */
  readonly isError: boolean;
  readonly bytes: Uint8Array;
}

/** The bytes of a frame's head: the stream, three zeros, and the length in four bytes. */
const HEAD = 8;

/** Takes bytes in frames apart, wherever they are cut. Bytes that do not begin as a frame does are not in frames. */
export class FrameReader {
  #isFramed: boolean | undefined;
  #head = new Uint8Array(HEAD);
  #have = 0;
  #left = 0;

  /** `mayBeFramed` is false for bytes that are never in frames. */
  constructor(mayBeFramed: boolean) {
    if (!mayBeFramed) this.#isFramed = false;
  }

  /** Whether the bytes are in frames; undefined until that is known. */
  get isFramed(): boolean | undefined {
    return this.#isFramed;
  }

  /** Returns the pieces that have come with these bytes. */
  read(bytes: Uint8Array): Piece[] {
    if (this.#isFramed === false) return [{ isError: false, bytes }];
    const pieces: Piece[] = [];
    for (let at = 0; at < bytes.length;) {
      if (this.#left > 0) {
        const part = bytes.subarray(at, at + this.#left);
        pieces.push({ isError: this.#head[0] === 2, bytes: part });
        this.#left -= part.length;
        at += part.length;
        continue;
      }
      this.#head[this.#have++] = bytes[at++];
      if (this.#isFramed === undefined && !this.#beginsFrame()) {
        this.#isFramed = false;
        return [{ isError: false, bytes: this.#head.slice(0, this.#have) }, {
          isError: false,
          bytes: bytes.subarray(at),
        }];
      }
      if (this.#have < HEAD) continue;
      this.#isFramed = true;
      this.#left = new DataView(this.#head.buffer).getUint32(4);
      this.#have = 0;
    }
    return pieces;
  }

  /** Whether what is there of a head can be one. */
  #beginsFrame(): boolean {
    const [stream, ...zeros] = this.#head.subarray(0, Math.min(this.#have, 4));
    return stream <= 2 && zeros.every((byte) => byte === 0);
  }
}
