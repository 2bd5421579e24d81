/**
 * Requests whose refusal needs no body, on runtimes that close the connection of a body that nobody read: a client that is still sending it
 * would lose the refusal. workerd reads 64 KiB of it first (`canceledUploadGraceBytes` of capnproto's kj/compat/http.h). `Deno.serve` reads on
 * where the body was cancelled.
 */

/** The reader of a body, for one read at a time. */
export interface PieceReader {
  /** The bytes may be good until the next call only. */
  read(): Promise<ReadableStreamReadResult<Uint8Array>>;
  cancel(reason?: unknown): Promise<void>;
}

/** How {@linkcode serveRefusable} reads bodies. */
export interface RefusableOptions {
  open(body: ReadableStream<Uint8Array>): PieceReader;
  /** Makes bytes that last, where those of a read do not. */
  keep?(bytes: Uint8Array): Uint8Array;
  /** Ends a body that is read no more, before the refusal of its request goes out. */
  endRefused(reader: PieceReader, refusal: Response): Promise<void>;
  /** Bodies whose declared length is this or less are served as they come; without it none is. */
  asTheyCome?: number;
}

/** Serves a request, and ends its body before a refusal goes out. A refusal is any answer that is not ok. */
export async function serveRefusable(
  request: Request,
  serve: (request: Request) => Promise<Response>,
  options: RefusableOptions,
): Promise<Response> {
  const { body, headers, method } = request;
  const length = headers.get("content-length");
  const isSmall = length !== null && Number(length) <= (options.asTheyCome ?? -1);
  // No Request with another body can be made of these methods.
  if (body === null || isSmall || method === "GET" || method === "HEAD") return await serve(request);
  const refusable = new RefusableBody(options.open(body), options);
  // Streams as bodies need `duplex`, which the types of RequestInit do not know.
  const response = await serve(new Request(request, { body: refusable.stream, duplex: "half" } as RequestInit));
  await refusable.settle(response);
  return response;
}

/** A body that its reader may leave before it is known whether the request is refused. */
class RefusableBody {
  readonly stream: ReadableStream<Uint8Array>;
  readonly #reader: PieceReader;
  readonly #options: RefusableOptions;
  /** The stream's last read: its reader may have left in the middle of one. */
  #last: Promise<unknown> = Promise.resolve();
  #state: "open" | "left" | "served" | "refused" = "open";

  constructor(reader: PieceReader, options: RefusableOptions) {
    this.#reader = reader;
    this.#options = options;
    this.stream = streamPieces({ read: () => this.#read(), cancel: (reason) => this.#leave(reason) }, options.keep);
  }

  /** Ends the body as the response to its request asks for. */
  async settle(response: Response): Promise<void> {
    const wasLeft = this.#state === "left";
    this.#state = response.ok ? "served" : "refused";
    const cancel = (reason?: unknown) => this.#reader.cancel(reason);
    // A body that has failed fails again when it is cancelled: the response says what there is to say.
    if (!response.ok) await this.#options.endRefused({ read: () => this.#next(), cancel }, response).catch(() => {});
    else if (wasLeft) cancel().catch(() => {});
  }

  async #leave(reason: unknown): Promise<void> {
    if (this.#state === "served") await this.#reader.cancel(reason);
    else if (this.#state === "open") this.#state = "left";
  }

  #read(): Promise<ReadableStreamReadResult<Uint8Array>> {
    // Nobody who still has the stream may take a part for the whole.
    if (this.#state === "refused") return Promise.reject(new Error("The request was refused, and its body ended"));
    const piece = this.#reader.read();
    this.#last = piece.catch(() => {});
    return piece;
  }

  /** Reads behind a read that the stream's reader has left. */
  async #next(): Promise<ReadableStreamReadResult<Uint8Array>> {
    await this.#last;
    return await this.#reader.read();
  }
}

/**
 * Reads a body and throws it away: so many bytes, for so many milliseconds, at the most. A peer that goes away meanwhile is no error: nobody
 * waits for its answer.
 */
export async function readAway(reader: PieceReader, bytes: number, milliseconds: number): Promise<void> {
  const timer = setTimeout(() => reader.cancel().catch(() => {}), milliseconds);
  try {
    for (let left = bytes; left > 0;) {
      const { done, value } = await reader.read();
      if (done) return;
      left -= value.length;
    }
    await reader.cancel();
  } catch {
    // It has gone away.
  } finally {
    clearTimeout(timer);
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
