import { answerOf, BatchCaller, readCall } from "./batch_caller.ts";
import { type AnswerLine, type CallLine, LINES, PATH } from "./batch_lines.ts";
import { HTTPError } from "../error.ts";
import type { Handler, Platform } from "../context.ts";
import { mediaType } from "../codecs/codec.ts";
import { readLines } from "../channels/ndjson.ts";
import { tooLarge } from "../error.ts";
import { toldLength } from "../run/read_body.ts";

/**
 * Options of {@linkcode answerBatches}.
 *
 * @example
 * ```ts
 * import { answerBatches, type BatchOptions } from "../batch.ts";
 * const small: BatchOptions = { path: "/v1/batch", calls: 10, atOnce: 2, bytes: 65536, answerBytes: 65536 };
 * const serve = answerBatches(() => Promise.resolve(new Response("alone")), small);
 * ```
 */
export interface BatchOptions {
  /** The path that batches are sent to; `/batch` by default. */
  readonly path?: string;
  /** The most calls in a batch; 100 by default. */
  readonly calls?: number;
  /** How many calls of a batch run at once; 8 by default. */
  readonly atOnce?: number;
  /** The most bytes of a batch; 4 Mi by default. */
  readonly bytes?: number;
  /** The most bytes of one answer's body; 4 Mi by default. */
  readonly answerBytes?: number;
}

/**
 * Answers batches of calls, which {@linkcode batchCalls} sends, by a handler that answers each: with its authentication, its check of the request's
 * origin and its limits. A batch is a POST with a line of JSON for each call; the answers come as lines too, as each is ready, with status, headers
 * and body of its own. A call has its own `Accept`, `Content-Type`, conditions and IDs; all its other headers are those of the
 * batch, and one that names them is answered 400. Cookies that an answer would set are left out, as a script must not see them. A channel is answered 400, an answer that is too large 413.
 * All else passes through to the handler.
 *
 * @example
 * ```ts
 * import { api, handler, implement, int64, link, rest } from "../mod.ts";
 * import { answerBatches, batchCalls } from "../batch.ts";
 * const calculator = api("calculator.example.com", { Add: rest("GET /sum?a=%v&b=%v", [int64, int64], [int64]) });
 * const serve = answerBatches(handler(null, implement(calculator, { Add: (a, b) => a + b })));
 * let requests = 0;
 * const fetch = (request: Request) => (requests++, serve(request));
 * const client = link(calculator, "http://localhost", batchCalls({ fetch }));
 * const [three, seven] = await Promise.all([client.Add(1n, 2n), client.Add(3n, 4n)]);
 * console.assert(three === 3n && seven === 7n && requests === 1);
 * ```
 */
export function answerBatches(serve: Handler, options: BatchOptions = {}): Handler {
  const { path = PATH, calls = 100, atOnce = 8, bytes = 4 << 20, answerBytes = 4 << 20 } = options;
  for (const [name, value] of Object.entries({ calls, atOnce, bytes, answerBytes })) {
    if (!(value >= 1)) throw new RangeError(`Answer batches: ${name} is ${value}`);
  }
  return async (request, platform) => {
    if (request.method !== "POST" || new URL(request.url).pathname !== path) return await serve(request, platform);
    try {
      refuseOthers(request, bytes);
    } catch (error) {
      const { id: _, status, headers, text } = answerOf(undefined, error);
      return new Response(text, { status, headers: headers.map(([name, value]) => [name, value]) });
    }
    const limits = { calls, atOnce, bytes, answerBytes };
    return new Batch(request, serve, platform, limits).answer();
  };
}

/** A page of another site can send no such content type without being let: without it a batch would carry its calls past their own checks. */
function refuseOthers(request: Request, bytes: number): void {
  const type = mediaType(request.headers.get("content-type") ?? "none");
  if (type !== LINES) {
    throw new HTTPError(415, `Read a batch: "${type}" is not ${LINES}`, { kind: "media", headers: { accept: LINES } });
  }
  const coding = request.headers.get("content-encoding");
  if (coding && coding !== "identity") {
    throw new HTTPError(415, `Read a batch: it is encoded as "${coding}", which is not one of identity`, {
      kind: "media",
      headers: { "accept-encoding": "identity" },
    });
  }
  toldLength(request, bytes);
}

type Limits = Required<Omit<BatchOptions, "path">>;

class Batch {
  readonly #caller: BatchCaller;
  readonly #limits: Limits;
  readonly #request: Request;
  readonly #over = new AbortController();
  readonly #calls: AsyncGenerator<CallLine, void>;
  /** The error of a line that is no call. */
  #failed: { readonly error: unknown } | undefined;

  constructor(request: Request, serve: Handler, platform: Platform | undefined, limits: Limits) {
    this.#caller = new BatchCaller(request, serve, platform, limits.answerBytes);
    this.#request = request;
    this.#limits = limits;
    this.#calls = readCalls(request, limits);
  }

  answer(): Response {
    const encoder = new TextEncoder();
    let wanted = () => {};
    const { signal } = this.#request;
    const abort = () => this.#over.abort(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
    if (signal.aborted) abort();
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        const send = async (answer: AnswerLine) => {
          if (this.#over.signal.aborted) return;
          controller.enqueue(encoder.encode(JSON.stringify(answer) + "\n"));
          while ((controller.desiredSize ?? 1) <= 0 && !this.#over.signal.aborted) {
            await new Promise<void>((resolve) => wanted = bothOf(wanted, resolve));
          }
        };
        const workers = Array.from({ length: this.#limits.atOnce }, () => this.#work(send));
        Promise.all(workers).then(async () => {
          // Last, as it stands for all that have no answer of their own.
          if (this.#failed) await send(answerOf(undefined, this.#failed.error));
          signal.removeEventListener("abort", abort);
          if (!this.#over.signal.aborted) controller.close();
          else controller.error(this.#over.signal.reason);
        }).catch(() => {});
      },
      pull() {
        const wake = wanted;
        wanted = () => {};
        wake();
      },
      cancel: (reason) => {
        this.#over.abort(reason);
        wanted();
      },
    }, { highWaterMark: 1 });
    this.#over.signal.addEventListener("abort", () => wanted(), { once: true });
    return new Response(body, { headers: { "content-type": LINES, "cache-control": "no-store" } });
  }

  /** Answers calls one after the other, as long as there are any. */
  async #work(send: (answer: AnswerLine) => Promise<void>): Promise<void> {
    while (!this.#over.signal.aborted) {
      const { done, value } = await this.#calls.next().catch((error) => {
        this.#failed = { error };
        return { done: true, value: undefined } as const;
      });
      if (done) return;
      await send(await this.#caller.answer(value, this.#over.signal));
    }
  }
}

/**
 * The calls of a batch, as they come.
 *
 * @throws {HTTPError} 400 for a line that is none or has the ID of another, 413 for too many calls or bytes
 */
async function* readCalls(request: Request, { bytes, calls }: Limits): AsyncGenerator<CallLine, void> {
  const taken = new Set<number>();
  let count = 0;
  for await (const line of readLines(limitBody(request, bytes).getReader())) {
    if (++count > calls) throw new HTTPError(413, `Read a batch: it has more than ${calls} calls`, { kind: "limit" });
    const call = readCall(line, `line ${count} of the batch`);
    if (taken.has(call.id)) {
      throw new HTTPError(400, `Read line ${count} of the batch: another call has the ID ${call.id}`, { kind: "body" });
    }
    taken.add(call.id);
    yield call;
  }
}

function bothOf(first: () => void, second: () => void): () => void {
  return () => {
    first();
    second();
  };
}

/** A body that fails when it is larger than it may be. */
function limitBody({ body }: Request, bytes: number): ReadableStream<Uint8Array> {
  let size = 0;
  return (body ?? new Blob([]).stream()).pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(piece, controller) {
        size += piece.byteLength;
        if (size > bytes) throw tooLarge(bytes);
        controller.enqueue(piece);
      },
    }),
  );
}
