/** Characters from which on a text is encoded by itself: to put a long one together with others first would copy it once more. */
export const LONG = 8192;

/** Bytes of one piece: as many as runtimes send at once. They would cut a longer one into that and a rest, which costs another turn. */
const PIECE = 65_536;

/** A text that stands between quotation marks in JSON, and is not escaped yet. */
export class Quoted {
  declare readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  get length(): number {
    return this.text.length;
  }
}

/** A text in parts, which follow each other without anything between them. */
export type TextParts = readonly (string | Quoted)[];

const encoder = /* @__PURE__ */ new TextEncoder();

/**
 * Sends a text as UTF-8. Several parts are written into pieces of 64 KiB each without being joined; every piece has memory of its own, as whoever
 * gets it may hand that on.
 */
export function encodeParts(parts: TextParts, send: (piece: Uint8Array) => void): void {
  if (parts.length === 1 && typeof parts[0] === "string") return send(encoder.encode(parts[0]));
  let left = parts.reduce((sum, { length }) => sum + length, 0);
  // Most JSON has as many bytes as characters.
  let piece = new Uint8Array(Math.min(left, PIECE));
  let size = 0;
  for (const part of parts) {
    let isQuoted = typeof part !== "string";
    let text = typeof part === "string" ? part : part.text;
    while (text !== "") {
      const { read, written } = encoder.encodeInto(text, piece.subarray(size));
      if (isQuoted && hasControl(piece, size, size + written)) {
        // None stands in the part of it that has gone out. The bytes written just now are written over.
        const escaped = JSON.stringify(text).slice(1, -1);
        left += escaped.length - text.length;
        text = escaped;
        isQuoted = false;
        continue;
      }
      left -= read;
      size += written;
      if (read === text.length) break;
      // No character more fits into the piece.
      if (size > 0) send(piece.subarray(0, size));
      text = text.slice(read);
      // A character takes at most three bytes, and one of two code units four.
      piece = new Uint8Array(Math.min(3 * left, PIECE));
      size = 0;
    }
  }
  if (size > 0) send(piece.subarray(0, size));
}

/**
 * Whether a control character is among bytes of UTF-8, from `from` on and before `to`. Four are looked at at once, which takes a third of the
 * time that `JSON.stringify()` needs for a text that was put together of others.
 */
function hasControl(bytes: Uint8Array<ArrayBuffer>, from: number, to: number): boolean {
  const first = Math.min(from + 3 & ~3, to);
  const last = Math.max(to & ~3, first);
  for (let i = from; i < first; i++) if (bytes[i] < 32) return true;
  for (let i = last; i < to; i++) if (bytes[i] < 32) return true;
  const words = new Int32Array(bytes.buffer, 0, bytes.length >> 2);
  let found = 0;
  for (let i = first >> 2; i < last >> 2; i++) {
    const word = words[i];
    // A byte's highest bit is set by the difference if the byte is less than 32 or it was set before.
    found |= (word - 0x20202020) & ~word;
  }
  return (found & 0x80808080) !== 0;
}
