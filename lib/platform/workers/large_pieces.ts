/** Bytes of a piece, at the most, and at the least but at the end. */
const PIECE = 256 * 1024;

/** A reader that fills a buffer as far as is asked: workerd's own addition. */
interface FillingReader extends ReadableStreamBYOBReader {
  readAtLeast(bytes: number, view: Uint8Array<ArrayBuffer>): Promise<ReadableStreamReadResult<Uint8Array<ArrayBuffer>>>;
}

/**
 * The bytes of a body of workerd's own in larger pieces. Its own have four kilobytes: a gigabyte of them takes ten times as
 * long, and leaves garbage in the isolate that nobody collects in time.
 */
export function inLargePieces(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  // The types of the web do not have it.
  const reader = body.getReader({ mode: "byob" }) as FillingReader;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await reader.readAtLeast(PIECE, new Uint8Array(PIECE));
      if (value && value.length > 0) controller.enqueue(value);
      if (done) controller.close();
    },
    cancel: (reason) => reader.cancel(reason),
  }, { highWaterMark: 0 });
}
