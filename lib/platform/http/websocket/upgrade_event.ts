import { Buffer } from "node:buffer";
import type { IncomingMessage } from "node:http";
import process from "node:process";
import type { RawRequest } from "../exchange/raw_exchange.ts";

/**
 * Returns the part of a request that node:http has read when it emits `upgrade`. Node stops behind the head, and all that follows
 * is in `ahead` and the socket. Deno's parser goes on into a body as far as the packet reaches: the message holds the bytes it
 * took, and `ahead` begins only behind a whole body.
 */
export function soFar(message: IncomingMessage, ahead: Uint8Array): RawRequest {
  const head = {
    method: message.method ?? "GET",
    target: message.url ?? "/",
    minor: message.httpVersionMinor === 0 ? 0 : 1,
    rawHeaders: message.rawHeaders,
  } as const;
  if (!("deno" in process.versions)) return { head, before: [ahead] };
  const pieces: Buffer[] = [];
  for (let piece: unknown = message.read(); Buffer.isBuffer(piece); piece = message.read()) pieces.push(piece);
  const taken = Buffer.concat(pieces);
  const chunked = message.headers["transfer-encoding"] !== undefined;
  if (chunked && message.complete) return { head, before: [ahead], body: new Uint8Array(taken) };
  // Bytes of an unfinished chunk come without its size. Put back as they are they do not parse, and the answer is 400: only a
  // second request of a connection, chunked and cut within a chunk, can come to that.
  return { head, before: [taken, ahead] };
}
