/**
 * Bodies that a refusal left unread, where the runtime closes the connection under their sender: a client that is still sending may lose the
 * answer with it. workerd reads 64 KiB of them first (`canceledUploadGraceBytes` of capnproto's kj/compat/http.h), `Deno.serve` what is there.
 */

/** The most of a body nobody wants that is read before a refusal goes out, in bytes. */
const UNREAD_LIMIT = 64 * 1024 * 1024;
/** How long a peer may go on sending what nobody wants, before its refusal goes out (milliseconds). */
const LINGER = 2000;

/** The reader of a body, for one read at a time. */
export interface PieceReader {
  /** The bytes may be good until the next call only. */
  read(): Promise<ReadableStreamReadResult<Uint8Array>>;
  cancel(reason?: unknown): Promise<void>;
}

/** How {@linkcode serveRefusable} reads a body. */
export interface RefusableOptions {
  open(body: ReadableStream<Uint8Array>): PieceReader;
  /** Makes bytes that last, where those of a read do not. */
  keep?(bytes: Uint8Array): Uint8Array;
  /** Bodies whose declared length is this or less are served as they come; without it none is. */
  asTheyCome?: number;
}

/** Serves a request; a bounded part of a body that its refusal did not need is read before the refusal goes out. */
export async function serveRefusable(
  request: Request,
  serve: (request: Request) => Promise<Response>,
  { open, keep, asTheyCome = -1 }: RefusableOptions,
): Promise<Response> {
  const { body, headers } = request;
  const length = headers.get("content-length");
  if (body === null || (length !== null && Number(length) <= asTheyCome)) return await serve(request);
  const refusable = new RefusableBody(open(body), keep);
  // Streams as bodies need `duplex`, which the types of RequestInit do not know.
  const response = await serve(new Request(request, { body: refusable.stream, duplex: "half" } as RequestInit));
  if (!response.ok) await refusable.discard();
  return response;
}

/** A body of which the rest can be thrown away. */
class RefusableBody {
  /** A reader that cancels it leaves the rest to `discard()`. */
  readonly stream: ReadableStream<Uint8Array>;
  readonly #reader: PieceReader;
  /** The stream's last read: its reader may have left in the middle of one. */
  #last: Promise<unknown> = Promise.resolve();
  #discarded = false;

  constructor(reader: PieceReader, keep?: RefusableOptions["keep"]) {
    this.#reader = reader;
    const read = () => {
      // Nobody who still has the stream may take a part for the whole.
      if (this.#discarded) {
        return Promise.reject(new Error("The request was refused, and the rest of its body thrown away"));
      }
      const piece = reader.read();
      this.#last = piece.catch(() => {});
      return piece;
    };
    this.stream = streamPieces({ read, cancel: () => Promise.resolve() }, keep);
  }

  async discard(): Promise<void> {
    this.#discarded = true;
    const timer = setTimeout(() => this.#reader.cancel().catch(() => {}), LINGER);
    try {
      await this.#last;
      for (let left = UNREAD_LIMIT; left > 0;) {
        const { done, value } = await this.#reader.read();
        if (done) return;
        left -= value.length;
      }
      await this.#reader.cancel();
    } catch {
      // The peer has gone: nobody waits for its answer.
    } finally {
      clearTimeout(timer);
    }
  }
}

/** Returns the pieces that a reader reads, each when it is asked for. */
export function streamPieces(reader: PieceReader, keep = (bytes: Uint8Array) => bytes): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await reader.read();
      if (value && value.length > 0) controller.enqueue(keep(value));
      if (done) controller.close();
    },
    cancel: (reason) => reader.cancel(reason),
  }, { highWaterMark: 0 });
}
