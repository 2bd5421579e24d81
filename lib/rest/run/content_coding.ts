import { HTTPError } from "../error.ts";
import type { BodyPlan } from "../plan/plan_types.ts";
import { tooLarge } from "../error.ts";

/** Bytes that are decompressed at a time: a runtime may give all that they become as one piece, a thousand times as much. */
const PIECE = 2048;

/** The content codings that {@linkcode decompress} undoes (RFC 9110, section 8.4.1), and what the runtime calls them. */
const FORMATS = new Map<string, CompressionFormat>([["gzip", "gzip"], ["x-gzip", "gzip"], ["deflate", "deflate"]]);

/**
 * Lets bodies be sent compressed by gzip or deflate: the part of a server that undoes it. The operation's limit counts the body as it comes, and
 * once more what becomes of it, so that a small one cannot grow beyond it. Streams are undone too. Any other coding is answered 415.
 *
 * @param limit The most bytes, before and after
 * @throws {HTTPError} 415 with an `Accept-Encoding` (RFC 9110, section 15.5.16)
 *
 * @example
 * ```ts
 * import { api, decompress, handlerWith, implement, rest } from "../server.ts";
 * import { z } from "npm:zod@4.6.7";
 * const book = api("book.example.com", { Add: rest("POST /words", [z.array(z.string())], [z.number()]) });
 * const serve = handlerWith({ decode: decompress }, null, implement(book, { Add: (words) => words.length }));
 * const body = new Blob(['["a","word"]']).stream().pipeThrough(new CompressionStream("gzip"));
 * const headers = { "content-type": "application/json", "content-encoding": "gzip" };
 * const init = { method: "POST", headers, body, duplex: "half" };
 * console.assert(await (await serve(new Request("http://localhost/words", init))).text() === "2");
 * ```
 */
export function decompress(request: Request, limit: number): Request {
  const coding = codingOf(request);
  if (!coding || !request.body) return request;
  const format = FORMATS.get(coding);
  if (!format) throw refusal(coding, "gzip, deflate");
  const headers = new Headers(request.headers);
  headers.delete("content-encoding");
  headers.delete("content-length");
  const body = readAs(format, inPieces(request.body, limit));
  // Streams as bodies need `duplex`, which the types of RequestInit do not know.
  return new Request(request.url, { method: request.method, headers, body, duplex: "half" } as RequestInit);
}

/** Answers 415 to a body that is coded, unless it is a stream: the function reads that as it was sent. */
export function refuseCodings(request: Request, _limit: number, shape: BodyPlan["shape"]): Request {
  const coding = codingOf(request);
  if (coding && shape !== "stream" && request.body) throw refusal(coding, "identity");
  return request;
}

function codingOf({ headers }: Request): string | undefined {
  const coding = headers.get("content-encoding")?.trim().toLowerCase();
  return coding === "identity" ? undefined : coding;
}

function refusal(coding: string, accepted: string): HTTPError {
  return new HTTPError(415, `Read the body: it is encoded as "${coding}", which is not one of ${accepted}`, {
    kind: "media",
    headers: { "accept-encoding": accepted },
  });
}

function inPieces(body: ReadableStream<Uint8Array>, limit: number): ReadableStream<Uint8Array<ArrayBuffer>> {
  const reader = body.getReader();
  let given = new Uint8Array();
  let size = 0;
  return new ReadableStream({
    async pull(controller) {
      while (given.length === 0) {
        const { done, value } = await reader.read();
        if (done) return controller.close();
        size += value.length;
        if (size > limit) {
          reader.cancel().catch(() => {});
          throw tooLarge(limit);
        }
        // Streams of a request hold bytes of no shared memory.
        given = value as Uint8Array<ArrayBuffer>;
      }
      controller.enqueue(given.subarray(0, PIECE));
      given = given.subarray(PIECE);
    },
    cancel: (reason) => reader.cancel(reason),
  }, { highWaterMark: 0 });
}

function readAs(format: CompressionFormat, coded: ReadableStream<Uint8Array<ArrayBuffer>>): ReadableStream<Uint8Array> {
  const reader = coded.pipeThrough(new DecompressionStream(format)).getReader();
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (done) controller.close();
        else controller.enqueue(value);
      } catch (cause) {
        if (cause instanceof HTTPError) throw cause;
        // Node has no words for it.
        const detail = (cause instanceof Error ? cause.message : cause) || "it is malformed";
        throw new HTTPError(400, `Read the body as ${format}: ${detail}`, { kind: "body", cause });
      }
    },
    cancel: (reason) => reader.cancel(reason),
  }, { highWaterMark: 0 });
}
