import { EngineError } from "../../engine/errors.ts";
import { type FillingReader, fillingReader } from "./large_pieces.ts";
import { messageOf } from "../../oci/message_of.ts";

/** A transform of workerd's own: both of its ends take and give bytes. */
export interface NativeTransform {
  readable: ReadableStream<Uint8Array>;
  writable: WritableStream<BufferSource>;
}

/** Bytes given to the transform at once. Of gzip so many may become a thousand times as many, which are all held. */
const INPUT = 32 * 1024;
/** Bytes of a piece that comes out, but for the last. */
const OUTPUT = 256 * 1024;

/**
 * The same transform at its reader's pace, with errors that say what the matter is. workerd's own takes whatever it is given
 * and holds what comes of it until somebody reads (src/workerd/api/streams/compression.c++, `writeInternal`): here it gets
 * nothing before it has been emptied.
 *
 * @param free Called with every piece that went in, once nothing here needs it any more
 */
export function paceStream(
  transform: NativeTransform,
  what: string,
  free: (bytes: Uint8Array) => void = () => {},
): TransformStream<Uint8Array, Uint8Array> {
  const input = new TransformStream<Uint8Array, Uint8Array>(undefined, undefined, { highWaterMark: 0 });
  // Nothing here shares memory between threads, which the types allow for.
  const pieces = convertPieces(input.readable as ReadableStream<Uint8Array<ArrayBuffer>>, transform, what, free);
  const readable = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { value } = await pieces.next();
      if (value === undefined) controller.close();
      else controller.enqueue(value);
    },
    async cancel(reason) {
      await pieces.return(undefined);
      if (!input.readable.locked) await input.readable.cancel(reason);
    },
  }, { highWaterMark: 0 });
  return { readable, writable: input.writable };
}

async function* convertPieces(
  input: ReadableStream<Uint8Array<ArrayBuffer>>,
  { readable, writable }: NativeTransform,
  what: string,
  free: (bytes: Uint8Array) => void,
): AsyncGenerator<Uint8Array, undefined> {
  const writer = writable.getWriter();
  const output = new Output(readable);
  // Written bytes are held until the isolate is collected: write from a small buffer, not from the large one they are a part of.
  const own = new Uint8Array(INPUT);
  try {
    for await (const bytes of input) {
      for (let at = 0; at < bytes.length; at += INPUT) {
        const given = bytes.subarray(at, at + INPUT);
        own.set(given);
        await explainFailure(what, writer.write(own.subarray(0, given.length)));
        for (;;) {
          const piece = await explainFailure(what, output.whole());
          if (piece === undefined) break;
          yield piece;
        }
      }
      free(bytes);
    }
    // The remaining output comes while the writer closes.
    const closed = explainFailure(what, writer.close());
    closed.catch(() => {});
    for (;;) {
      const piece = await explainFailure(what, output.rest());
      if (piece === undefined) break;
      yield piece;
    }
    await closed;
  } finally {
    await writer.abort().catch(() => {});
    await output.cancel();
  }
}

/**
 * The output, in whole pieces. workerd fills one buffer over and over: each read of its streams leaves a kilobyte or two of
 * garbage, and each buffer it was given, until the isolate is collected as a whole, which is late.
 */
class Output {
  readonly #reader: FillingReader;
  #buffer = new ArrayBuffer(OUTPUT);
  #pending: Promise<ReadableStreamReadResult<Uint8Array<ArrayBuffer>>> | undefined;

  constructor(readable: ReadableStream<Uint8Array>) {
    this.#reader = fillingReader(readable);
  }

  /** A piece; `undefined` when what was given makes none. */
  async whole(): Promise<Uint8Array | undefined> {
    const read = await settleSoon(this.#read());
    return read && this.#take(read);
  }

  /** A piece, of which the last is shorter; `undefined` at the end. */
  async rest(): Promise<Uint8Array | undefined> {
    return this.#take(await this.#read());
  }

  async cancel(): Promise<void> {
    await this.#reader.cancel().catch(() => {});
  }

  #read(): Promise<ReadableStreamReadResult<Uint8Array<ArrayBuffer>>> {
    if (this.#pending !== undefined) return this.#pending;
    this.#pending = this.#reader.readAtLeast(OUTPUT, new Uint8Array(this.#buffer));
    this.#pending.catch(() => {});
    return this.#pending;
  }

  #take({ value }: ReadableStreamReadResult<Uint8Array<ArrayBuffer>>): Uint8Array | undefined {
    this.#pending = undefined;
    if (value === undefined) return undefined;
    this.#buffer = value.buffer;
    return value.length > 0 ? value.slice() : undefined;
  }
}

/** The promise's value, if it has one by the next turn of the event loop. */
async function settleSoon<T>(promise: Promise<T>): Promise<T | undefined> {
  const late = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => late.resolve(undefined), 0);
  try {
    return await Promise.race([promise, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

async function explainFailure<T>(what: string, promise: Promise<T>): Promise<T> {
  try {
    return await promise;
  } catch (error) {
    const why = messageOf(error);
    throw new EngineError("corrupt", `${what}: ${why}`, { cause: error });
  }
}
