/**
 * Streams whose pieces belong to who reads them, and whose memory is given back as soon as they have been used.
 *
 * A collector takes notice of large buffers late: a gigabyte that passes in pieces leaves a hundred megabytes lying about. A
 * stream of type `bytes` (WHATWG Streams, section 4.7) takes a piece's buffer away from who puts it in, so its reader has it
 * alone and may {@linkcode freeBytes} it. Any other stream may hand out what somebody else keeps.
 *
 * @module
 */

/** Whether a stream is one of type `bytes`: what is read from it belongs to the reader. It must not be locked. */
export function isByteStream(stream: ReadableStream<Uint8Array>): boolean {
  try {
    stream.getReader({ mode: "byob" }).releaseLock();
    return true;
  } catch {
    return false;
  }
}

/** Gives back the memory of bytes that nobody else has, unless it holds more than them. They are empty from now on. */
export function freeBytes(bytes: Uint8Array): void {
  // Without any they may have been freed already.
  if (bytes.length > 0 && isAlone(bytes)) bytes.buffer.transfer(0);
}

/** The source of a stream's pieces. */
export interface PieceSource {
  /** The next piece; `undefined` at the end. Asked when somebody waits for it. */
  next(): Promise<Uint8Array | undefined>;
  cancel?(reason: unknown): Promise<void> | void;
}

/** A stream of type `bytes` that reads no further than it is read. Nobody else has what the source gives, or will have it. */
export function byteStream(source: PieceSource): ReadableStream<Uint8Array> {
  return new ReadableStream({
    type: "bytes",
    async pull(controller) {
      let bytes = await source.next();
      while (bytes?.length === 0) bytes = await source.next();
      if (bytes !== undefined) return enqueuePiece(controller, ownBuffer(bytes));
      controller.close();
      // A pending read into the reader's own buffer waits for this response.
      controller.byobRequest?.respond(0);
    },
    cancel: (reason) => source.cancel?.(reason),
  });
}

/** A stream that reads no further than it is read, of pieces that others may have, too. */
export function pieceStream(source: PieceSource): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const bytes = await source.next();
      if (bytes === undefined) controller.close();
      else controller.enqueue(bytes);
    },
    cancel: (reason) => source.cancel?.(reason),
  }, { highWaterMark: 0 });
}

/** Callbacks that observe a stream. */
export interface Tap {
  /** Sees each piece before it goes on, and `undefined` at the end. The stream fails with the error that it throws. */
  see?(bytes: Uint8Array | undefined): void | Promise<void>;
  /** Told of what the stream failed of. */
  fail?(error: unknown): void | Promise<void>;
  /** Told that nobody wants the rest, when the source was told. */
  cancel?(): void | Promise<void>;
}

/** The stream unchanged, and of the same type. */
export function tapStream(source: ReadableStream<Uint8Array>, tap: Tap): ReadableStream<Uint8Array> {
  const like = isByteStream(source) ? byteStream : pieceStream;
  const reader = source.getReader();
  return like({
    async next() {
      try {
        const { value } = await reader.read();
        await tap.see?.(value);
        return value;
      } catch (error) {
        // Nothing more is wanted of a source that was refused.
        await reader.cancel(error).catch(() => {});
        await tap.fail?.(error);
        throw error;
      }
    },
    async cancel(reason) {
      await reader.cancel(reason).catch(() => {});
      await tap.cancel?.();
    },
  });
}

/**
 * Pipes a stream into another, as `pipeTo` does. The pieces of a stream of type `bytes` are freed when the write of each is
 * done: what it is written to must not keep them.
 */
export async function pourStream(source: ReadableStream<Uint8Array>, sink: WritableStream<Uint8Array>): Promise<void> {
  if (!isByteStream(source)) return await source.pipeTo(sink);
  const reader = source.getReader();
  const writer = sink.getWriter();
  // A sink that fails or is closed while the source is silent.
  const stop = (reason?: unknown) => void reader.cancel(reason).catch(() => {});
  writer.closed.then(stop, stop);
  try {
    for (;;) {
      const { done, value } = await reader.read();
      // Throws the sink's failure, if that ended the stream.
      await writer.ready;
      if (done) break;
      await writer.write(value);
      freeBytes(value);
    }
    await writer.close();
  } catch (error) {
    await Promise.allSettled([reader.cancel(error), writer.abort(error)]);
    throw error;
  } finally {
    reader.releaseLock();
    writer.releaseLock();
  }
}

/**
 * Pipes a stream through a transform, as `pipeThrough` does, and frees its pieces as {@linkcode pourStream} does: the transform
 * must not keep them, nor pass on parts of them.
 */
export function pourThrough(
  source: ReadableStream<Uint8Array>,
  { readable, writable }: ReadableWritablePair<Uint8Array, Uint8Array>,
): ReadableStream<Uint8Array> {
  // Its failure is the readable side's, too.
  pourStream(source, writable).catch(() => {});
  return readable;
}

/** A converter of one stream of bytes into another. Nobody else has, or will have, the bytes it emits. */
export interface ByteTransformer {
  /** Takes a piece, of which it keeps nothing and emits no part without copying it. */
  transform(chunk: Uint8Array, emit: (bytes: Uint8Array) => void): void;
  /** Comes at the end. */
  flush(emit: (bytes: Uint8Array) => void): void;
}

/** A transform whose readable side is of type `bytes`, and which takes pieces only when that is read. */
export function byteTransform(transformer: ByteTransformer): ReadableWritablePair<Uint8Array, Uint8Array> {
  let reader: ReadableByteStreamController;
  let failure: { reason: unknown } | undefined;
  let wake = () => {};
  let isWanted = false;
  const readable = new ReadableStream({
    type: "bytes",
    start: (controller) => void (reader = controller),
    pull() {
      isWanted = true;
      wake();
    },
    cancel(reason) {
      failure = { reason };
      wake();
    },
  });
  const wanted = async () => {
    while (!isWanted && failure === undefined) await new Promise<void>((resolve) => wake = resolve);
    if (failure !== undefined) throw failure.reason;
  };
  const run = (work: (emit: (bytes: Uint8Array) => void) => void) => {
    try {
      work((bytes) => {
        if (bytes.length === 0) return;
        isWanted = false;
        enqueuePiece(reader, ownBuffer(bytes));
      });
    } catch (error) {
      reader.error(error);
      throw error;
    }
  };
  const writable = new WritableStream<Uint8Array>({
    async write(chunk) {
      await wanted();
      run((emit) => transformer.transform(chunk, emit));
    },
    close() {
      run((emit) => transformer.flush(emit));
      reader.close();
      reader.byobRequest?.respond(0);
    },
    abort(reason) {
      if (failure === undefined) reader.error(reason);
    },
  });
  return { readable, writable };
}

/** Puts a piece into a stream: into the buffer of who reads into one of its own, as then nothing is left of the piece. */
export function enqueuePiece(controller: ReadableByteStreamController, piece: Uint8Array<ArrayBuffer>): void {
  const view = controller.byobRequest?.view;
  if (!view || view.byteLength < piece.length) return controller.enqueue(piece);
  new Uint8Array(view.buffer, view.byteOffset).set(piece);
  const { length } = piece;
  freeBytes(piece);
  controller.byobRequest?.respond(length);
}

/** Bytes in a buffer that holds nothing else: themselves, or a copy. */
export function ownBuffer(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  // `slice` of Node's buffers copies nothing.
  return isAlone(bytes) ? bytes : new Uint8Array(bytes);
}

function isAlone(bytes: Uint8Array): bytes is Uint8Array<ArrayBuffer> {
  return bytes.buffer instanceof ArrayBuffer && bytes.buffer.byteLength === bytes.length;
}

/**
 * The same stream, of type `bytes` where that is, which calls `after` once: when it has ended, failed or been cancelled. What
 * `after` throws is the stream's failure.
 */
export function streamThen(
  stream: ReadableStream<Uint8Array>,
  after: (how: "ended" | "failed" | "cancelled") => Promise<void>,
): ReadableStream<Uint8Array> {
  const like = isByteStream(stream) ? byteStream : pieceStream;
  const reader = stream.getReader();
  return like({
    async next() {
      try {
        const { done, value } = await reader.read();
        if (!done) return value;
      } catch (error) {
        await after("failed");
        throw error;
      }
      await after("ended");
    },
    async cancel(reason) {
      await reader.cancel(reason);
      await after("cancelled");
    },
  });
}
