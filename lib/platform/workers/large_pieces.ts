/** Bytes of a piece, at the most, and at the least but at the end. */
const PIECE = 256 * 1024;

/** A reader that fills a buffer as far as is asked: workerd's own addition. */
export interface FillingReader extends ReadableStreamBYOBReader {
  readAtLeast(bytes: number, view: Uint8Array<ArrayBuffer>): Promise<ReadableStreamReadResult<Uint8Array<ArrayBuffer>>>;
}

/**
 * The bytes of a body of workerd's own in larger pieces. Its own have four kilobytes: a gigabyte of them takes ten times as
 * long, and leaves garbage in the isolate that nobody collects in time.
 */
export function inLargePieces(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const reader = fillingReader(body);
  // One buffer over and over: each that a read was given is held until the isolate is collected as a whole.
  let buffer = new ArrayBuffer(PIECE);
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await reader.readAtLeast(PIECE, new Uint8Array(buffer));
      if (value) buffer = value.buffer;
      if (value && value.length > 0) controller.enqueue(value.slice());
      if (done) controller.close();
    },
    cancel: (reason) => reader.cancel(reason),
  }, { highWaterMark: 0 });
}

/** Such a reader of one of workerd's own streams. */
export function fillingReader(stream: ReadableStream<Uint8Array>): FillingReader {
  // The types of the web do not have it.
  return stream.getReader({ mode: "byob" }) as FillingReader;
}
