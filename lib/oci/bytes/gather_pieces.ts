import { byteStream } from "./byte_stream.ts";

/** Bytes of small pieces that go on as one. */
const GATHERED = 128 * 1024;

/** A stream of pieces, the small ones joined: each passes through several streams, which costs more than its bytes. */
export function gatheredStream(source: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
  const pieces = gatherPieces(source);
  return byteStream({
    next: async () => (await pieces.next()).value,
    cancel: async () => void await pieces.return(undefined),
  });
}

async function* gatherPieces(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, undefined> {
  let buffer = new Uint8Array(GATHERED);
  let size = 0;
  for await (const piece of pieces) {
    const isLarge = piece.length > GATHERED / 2;
    if (size > 0 && (isLarge || size + piece.length > GATHERED)) {
      yield buffer.subarray(0, size);
      buffer = new Uint8Array(GATHERED);
      size = 0;
    }
    if (isLarge) yield piece;
    else {
      buffer.set(piece, size);
      size += piece.length;
    }
  }
  if (size > 0) yield buffer.subarray(0, size);
}
