import { type PieceReader, streamPieces } from "../refused_body.ts";

/** Bytes of a piece, at the most, and at the least but at the end. */
const PIECE = 256 * 1024;

/** A reader that fills a buffer as far as is asked: workerd's own addition. */
export interface FillingReader extends ReadableStreamBYOBReader {
  readAtLeast(bytes: number, view: Uint8Array<ArrayBuffer>): Promise<ReadableStreamReadResult<Uint8Array<ArrayBuffer>>>;
}

/** The bytes of a body of workerd's own in larger pieces. */
export function inLargePieces(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  return streamPieces(readerOfLargePieces(body), keepPiece);
}

/**
 * Returns a reader of larger pieces of one of workerd's own bodies, whose bytes are good until the next read. Its own pieces have four kilobytes:
 * a gigabyte of them takes ten times as long, and leaves garbage in the isolate that nobody collects in time.
 */
export function readerOfLargePieces(body: ReadableStream<Uint8Array>): PieceReader {
  const reader = fillingReader(body);
  // One buffer over and over: each that a read was given is held until the isolate is collected as a whole.
  let buffer = new ArrayBuffer(PIECE);
  return {
    async read() {
      const result = await reader.readAtLeast(PIECE, new Uint8Array(buffer));
      if (result.value) buffer = result.value.buffer;
      return result;
    },
    cancel: (reason) => reader.cancel(reason),
  };
}

/** Copies bytes that are good until the next read. */
export function keepPiece(bytes: Uint8Array): Uint8Array {
  return bytes.slice();
}

/** Such a reader of one of workerd's own streams. */
export function fillingReader(stream: ReadableStream<Uint8Array>): FillingReader {
  // The types of the web do not have it.
  return stream.getReader({ mode: "byob" }) as FillingReader;
}
