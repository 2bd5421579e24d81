import { EngineError } from "../../engine/errors.ts";

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
 */
export function paced(transform: NativeTransform, what: string): TransformStream<Uint8Array, Uint8Array> {
  const input = new TransformStream<Uint8Array, Uint8Array>(undefined, undefined, { highWaterMark: 0 });
  // Nothing here shares memory between threads, which the types allow for.
  const pieces = convert(input.readable as ReadableStream<Uint8Array<ArrayBuffer>>, transform, what);
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

async function* convert(
  input: ReadableStream<Uint8Array<ArrayBuffer>>,
  { readable, writable }: NativeTransform,
  what: string,
): AsyncGenerator<Uint8Array, undefined> {
  const writer = writable.getWriter();
  const output = new Output(readable);
  try {
    for await (const bytes of input) {
      for (let at = 0; at < bytes.length; at += INPUT) {
        await explained(what, writer.write(bytes.subarray(at, at + INPUT)));
        for (;;) {
          const piece = await explained(what, output.next(false));
          if (piece === undefined) break;
          yield piece;
        }
      }
    }
    // What is left comes out meanwhile.
    const closed = explained(what, writer.close());
    closed.catch(() => {});
    for (;;) {
      const piece = await explained(what, output.next(true));
      if (piece === undefined) break;
      yield piece;
    }
    await closed;
  } finally {
    await writer.abort().catch(() => {});
    await output.cancel();
  }
}

/** Gathers what comes out. */
class Output {
  readonly #reader: ReadableStreamBYOBReader;
  #buffer = new ArrayBuffer(OUTPUT);
  #filled = 0;
  #pending: Promise<ReadableStreamReadResult<Uint8Array<ArrayBuffer>>> | undefined;

  constructor(readable: ReadableStream<Uint8Array>) {
    this.#reader = readable.getReader({ mode: "byob" });
  }

  /** A whole piece; `undefined` when nothing more comes of what was given, or when all of it came: then the last is shorter. */
  async next(toTheEnd: boolean): Promise<Uint8Array | undefined> {
    for (;;) {
      const room = OUTPUT - this.#filled;
      if (room === 0) return this.#take();
      if (this.#pending === undefined) {
        this.#pending = this.#reader.read(new Uint8Array(this.#buffer, this.#filled));
        this.#pending.catch(() => {});
      }
      const read = await (toTheEnd ? this.#pending : soon(this.#pending));
      if (read === undefined) return undefined;
      this.#pending = undefined;
      const { done, value } = read;
      // At the end, too, the buffer comes back in another.
      if (value !== undefined) this.#buffer = value.buffer;
      if (done) return this.#filled > 0 ? this.#take() : undefined;
      this.#filled += value.length;
      // It gives all that it has, as far as there is room.
      if (!toTheEnd && value.length < room) return undefined;
    }
  }

  async cancel(): Promise<void> {
    await this.#reader.cancel().catch(() => {});
  }

  #take(): Uint8Array {
    const piece = new Uint8Array(this.#buffer, 0, this.#filled);
    this.#buffer = new ArrayBuffer(OUTPUT);
    this.#filled = 0;
    return piece;
  }
}

/** The promise's value, if it has one by the next turn of the event loop. */
async function soon<T>(promise: Promise<T>): Promise<T | undefined> {
  const late = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => late.resolve(undefined), 0);
  try {
    return await Promise.race([promise, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

async function explained<T>(what: string, promise: Promise<T>): Promise<T> {
  try {
    return await promise;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new EngineError("corrupt", `${what}: ${why}`, { cause: error });
  }
}
