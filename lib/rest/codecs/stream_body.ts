import { Turns } from "./turns.ts";
import { isAsyncIterable } from "./record.ts";

/** Whether a value is to be read piece by piece, and is not a stream yet. */
export function isPieces(value: unknown): value is AsyncIterable<Uint8Array | string> {
  return isAsyncIterable(value) && !(value instanceof ReadableStream);
}

/**
 * A stream of what an iterable yields, texts as UTF-8: read no faster than it is sent, and returned when nobody reads on.
 * `ReadableStream.from` is not everywhere, and takes no texts.
 */
export function streamOf(
  iterator: AsyncIterator<Uint8Array | string>,
  first?: IteratorResult<Uint8Array | string>,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const turns = new Turns();
  let ahead = first;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const turn = turns.due();
      if (turn) await turn;
      const { done, value } = ahead ?? await iterator.next();
      ahead = undefined;
      if (done) return controller.close();
      controller.enqueue(typeof value === "string" ? encoder.encode(value) : value);
    },
    async cancel(reason) {
      await iterator.return?.(reason);
    },
  }, { highWaterMark: 0 });
}

/**
 * A stream argument as a body: what `fetch` takes is left as it is.
 *
 * @example
 * ```ts
 * import { streamBody } from "../client.ts";
 * async function* pieces() {
 *   yield "text and ";
 *   yield new TextEncoder().encode("bytes");
 * }
 * console.assert(await new Response(streamBody(pieces())).text() === "text and bytes");
 * ```
 */
export function streamBody(value: unknown): BodyInit {
  // The definition's types allow a stream, a Blob, bytes or text beside pieces.
  return isPieces(value) ? streamOf(value[Symbol.asyncIterator]()) : value as BodyInit;
}

/** Whether the runtime sends a body piece by piece: where it does not, it makes a text of it, and says so in its type. */
export function sendsPieces(): boolean {
  const init = { method: "POST", body: new ReadableStream(), duplex: "half" } as RequestInit;
  try {
    return !new Request("http://localhost/", init).headers.has("content-type");
  } catch {
    return false;
  }
}
