import { Buffer } from "node:buffer";
import type { ServerResponse } from "node:http";
import { setImmediate } from "node:timers";
import { freeBytes, isByteStream } from "../../../oci/bytes/byte_stream.ts";
import { notedBody } from "../../../rest/quick/whole_body.ts";
import { headerCase } from "../header_case.ts";
import type { Peer } from "./node_request.ts";
import { writeAll } from "./write_all.ts";

/** Bodies up to this many bytes are copied rather than written beside the head. */
const SMALL = 8 * 1024;

/**
 * Sends a web response through node:http. A body that is whole goes out in one write with its length; a stream's head goes out
 * at once and its pieces as they come, no faster than the peer reads; when the peer goes away the body is cancelled, and when
 * the body fails the connection breaks off, which is how the peer can tell.
 *
 * @param onWhole Told of a body that goes out in one write, each letter a byte, when its head is set and not sent
 * @throws What the body threw; the connection is closed then
 */
export async function sendResponse(
  out: ServerResponse,
  response: Response,
  peer: Peer,
  onWhole?: (body: string) => void,
): Promise<void> {
  const noted = notedBody(response);
  if (noted !== undefined) {
    if (peer.gone || out.destroyed) return;
    setHead(out, response);
    if (out.req.method === "HEAD") out.end();
    else endWith(out, Buffer.from(noted), onWhole);
    return;
  }
  const body = response.body;
  if (peer.gone || out.destroyed) {
    await body?.cancel().catch(() => {});
    return;
  }
  setHead(out, response);
  if (body === null || out.req.method === "HEAD") {
    if (body === null && carriesLength(response, out.req.method)) out.setHeader("Content-Length", "0");
    out.end();
    await body?.cancel().catch(() => {});
    return;
  }
  let reader = body.getReader();
  const leave = () => void reader.cancel(new DOMException("The peer has gone", "AbortError")).catch(() => {});
  out.on("close", leave);
  try {
    if (await sendBeginning(out, reader, onWhole)) {
      reader.releaseLock();
      const isOurs = isByteStream(body);
      reader = body.getReader();
      await sendRest(out, reader, isOurs);
    }
    out.removeListener("close", leave);
  } catch (error) {
    const gone = peer.gone;
    out.destroy();
    if (!gone) throw error;
  }
}

/** Sends a body that is whole, or two pieces of a stream. Resolves with whether there may be more. */
async function sendBeginning(
  out: ServerResponse,
  reader: ReadableStreamDefaultReader<Uint8Array>,
  onWhole?: (body: string) => void,
): Promise<boolean> {
  const first = new Step(reader);
  if (!await first.soon()) out.flushHeaders();
  const { done, value } = await first.result;
  if (!done) {
    const second = new Step(reader);
    if (!out.headersSent && await second.soon() && (await second.result).done) {
      endWith(out, value, onWhole);
      return false;
    }
    await writePiece(out, value);
    const { done, value: next } = await second.result;
    if (!done) {
      await writePiece(out, next);
      return true;
    }
  }
  out.end();
  return false;
}

/** Sends a long body, whose pieces are ours to free where it is of type `bytes`. */
async function sendRest(
  out: ServerResponse,
  reader: ReadableStreamDefaultReader<Uint8Array>,
  isOurs: boolean,
): Promise<void> {
  for (let step = await reader.read(); !step.done; step = await reader.read()) {
    if (!isOurs) await writePiece(out, step.value);
    else if (await writeAll(out, step.value)) freeBytes(step.value);
  }
  out.end();
}

/** One read, and whether it has come to its end. */
class Step {
  readonly result: Promise<ReadableStreamReadResult<Uint8Array>>;
  #settled = false;

  constructor(reader: ReadableStreamDefaultReader<Uint8Array>) {
    this.result = reader.read();
    const settle = () => void (this.#settled = true);
    this.result.then(settle, settle);
  }

  /**
   * Waits a few microtasks, which is all that a body at hand needs, and else for one turn of the event loop: what a function has
   * without waiting for others goes out in one write, and a stream is not kept waiting.
   */
  async soon(): Promise<boolean> {
    for (let i = 0; i < 6 && !this.#settled; i++) await undefined;
    if (!this.#settled) await new Promise<void>((resolve) => setImmediate(resolve));
    return this.#settled;
  }
}

/** A small body goes into one string with the head, byte by byte: one buffer to write costs less than two. */
function endWith(out: ServerResponse, body: Uint8Array, onWhole?: (body: string) => void): void {
  if (!out.hasHeader("content-length")) out.setHeader("Content-Length", String(body.length));
  const text = onWhole !== undefined || body.length <= SMALL
    ? Buffer.from(body.buffer, body.byteOffset, body.length).toString("latin1")
    : undefined;
  if (text !== undefined) onWhole?.(text);
  if (text === undefined || body.length > SMALL) out.end(body);
  else out.end(text, "latin1");
}

/** Writes a piece; waits while the peer reads more slowly than we write. */
async function writePiece(out: ServerResponse, piece: Uint8Array): Promise<void> {
  if (piece.length === 0 || out.write(piece) || out.destroyed) return;
  await new Promise<void>((resolve) => {
    const go = () => {
      out.removeListener("drain", go);
      out.removeListener("close", go);
      resolve();
    };
    out.on("drain", go);
    out.on("close", go);
  });
}

function setHead(out: ServerResponse, response: Response): void {
  // Response.error() has status 0, which is none.
  out.statusCode = response.status === 0 ? 500 : response.status;
  if (response.statusText !== "") out.statusMessage = response.statusText;
  response.headers.forEach((value, name) => {
    if (name === "set-cookie") out.appendHeader("Set-Cookie", value);
    else out.setHeader(headerCase(name), value);
  });
}

function carriesLength(response: Response, method: string | undefined): boolean {
  const { status, headers } = response;
  return status !== 204 && status !== 304 && status >= 200 && method !== "HEAD" && !headers.has("content-length");
}
