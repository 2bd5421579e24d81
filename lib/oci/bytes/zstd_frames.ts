/**
 * The frames of a Zstandard stream (RFC 8878, section 3), without their content: how much memory each of them asks of a decoder.
 *
 * @module
 */

const MAGIC = 0xfd2fb528;
/** The lowest of sixteen magic numbers of frames that decoders skip. */
const SKIPPABLE = 0x184d2a50;
const MAGIC_LENGTH = 4;
const BLOCK_HEADER = 3;

/** Which part of a frame comes next. */
type Part = "magic" | "descriptor" | "header" | "skippable" | "block";

/** Reads the headers of frames and blocks as a stream goes by, in pieces cut anywhere. */
export class ZstdFrames {
  #part: Part = "magic";
  /** Bytes of the part read so far. */
  #bytes: number[] = [];
  /** How long the part is. */
  #wanted = MAGIC_LENGTH;
  /** Bytes of content to pass over. */
  #skip = 0;
  #descriptor = 0;

  /**
   * Reads the next piece; gives the largest window, in bytes, of the frames whose headers end in it, and 0 where none does. Throws
   * `SyntaxError` for what is no Zstandard.
   */
  read(piece: Uint8Array): number {
    let largest = 0;
    for (let at = 0; at < piece.length;) {
      if (this.#skip > 0) {
        const passed = Math.min(this.#skip, piece.length - at);
        this.#skip -= passed;
        at += passed;
        continue;
      }
      this.#bytes.push(piece[at++]);
      if (this.#bytes.length < this.#wanted) continue;
      const part = this.#bytes;
      this.#bytes = [];
      largest = Math.max(largest, this.#take(part));
    }
    return largest;
  }

  #take(bytes: readonly number[]): number {
    switch (this.#part) {
      case "magic": {
        const magic = numberOf(bytes);
        if (magic === MAGIC) this.#expect("descriptor", 1);
        else if (magic >= SKIPPABLE && magic < SKIPPABLE + 16) this.#expect("skippable", 4);
        else throw new SyntaxError("what follows a frame is no frame");
        return 0;
      }
      case "skippable":
        this.#skip = numberOf(bytes);
        this.#expect("magic", MAGIC_LENGTH);
        return 0;
      case "descriptor":
        this.#descriptor = bytes[0];
        this.#expect("header", headerLength(bytes[0]));
        return 0;
      case "header":
        this.#expect("block", BLOCK_HEADER);
        return windowOf(this.#descriptor, bytes);
      case "block": {
        const header = numberOf(bytes);
        const type = (header >> 1) & 3;
        if (type === 3) throw new SyntaxError("a block of a reserved type");
        // A run of one byte is that byte.
        this.#skip = type === 1 ? 1 : header >> 3;
        const isLast = (header & 1) === 1;
        if (isLast && (this.#descriptor & 4) !== 0) this.#skip += 4;
        this.#expect(isLast ? "magic" : "block", isLast ? MAGIC_LENGTH : BLOCK_HEADER);
        return 0;
      }
    }
  }

  #expect(part: Part, length: number): void {
    this.#part = part;
    this.#wanted = length;
  }
}

/** Bytes of the window descriptor, the dictionary's ID and the content's size: at least one. */
function headerLength(descriptor: number): number {
  const window = isSingle(descriptor) ? 0 : 1;
  return window + dictionaryLength(descriptor) + sizeLength(descriptor);
}

function windowOf(descriptor: number, header: readonly number[]): number {
  if (!isSingle(descriptor)) {
    const base = 2 ** (10 + (header[0] >> 3));
    return base + (base / 8) * (header[0] & 7);
  }
  const size = header.slice(dictionaryLength(descriptor));
  return numberOf(size) + (size.length === 2 ? 256 : 0);
}

/** One segment has no window of its own: it is as large as its content. */
function isSingle(descriptor: number): boolean {
  return (descriptor & 0x20) !== 0;
}

function dictionaryLength(descriptor: number): number {
  return [0, 1, 2, 4][descriptor & 3];
}

function sizeLength(descriptor: number): number {
  return [isSingle(descriptor) ? 1 : 0, 2, 4, 8][descriptor >> 6];
}

/** Little-endian; no integer above 2^53 is told from its neighbours, which is far more than any window may have. */
function numberOf(bytes: readonly number[]): number {
  return bytes.reduceRight((sum, byte) => sum * 256 + byte, 0);
}
