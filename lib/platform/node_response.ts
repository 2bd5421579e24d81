import type { ServerResponse } from "node:http";
import type { Peer } from "./node_request.ts";

/**
 * Sends a web response through node:http. A body that is whole goes out in one write with its length; a stream's head goes out
 * at once and its pieces as they come, no faster than the peer reads; when the peer goes away the body is cancelled, and when
 * the body fails the connection breaks off, which is how the peer can tell.
 *
 * @throws What the body threw; the connection is closed then
 */
export async function sendResponse(out: ServerResponse, response: Response, peer: Peer): Promise<void> {
  const body = response.body;
  if (peer.gone || out.destroyed) {
    await body?.cancel().catch(() => {});
    return;
  }
  const head = headLines(response);
  if (body === null || out.req.method === "HEAD") {
    if (body === null && carriesLength(response, out.req.method)) head.push("content-length", "0");
    writeHead(out, response, head);
    out.end();
    await body?.cancel().catch(() => {});
    return;
  }
  const reader = body.getReader();
  const leave = () => void reader.cancel(new DOMException("The peer has gone", "AbortError")).catch(() => {});
  out.on("close", leave);
  try {
    await sendBody(out, response, head, reader);
    out.removeListener("close", leave);
  } catch (error) {
    const gone = peer.gone;
    out.destroy();
    if (!gone) throw error;
  }
}

async function sendBody(
  out: ServerResponse,
  response: Response,
  head: string[],
  reader: ReadableStreamDefaultReader<Uint8Array>,
): Promise<void> {
  const first = new Step(reader);
  if (!await first.soon()) {
    writeHead(out, response, head);
    out.flushHeaders();
  }
  const { done, value } = await first.result;
  if (!done) {
    const second = new Step(reader);
    if (!out.headersSent) {
      if (await second.soon() && (await second.result).done) {
        if (!response.headers.has("content-length")) head.push("content-length", String(value.length));
        writeHead(out, response, head);
        out.end(value);
        return;
      }
      writeHead(out, response, head);
    }
    await write(out, value);
    for (let step = await second.result; !step.done; step = await reader.read()) await write(out, step.value);
  } else if (!out.headersSent) writeHead(out, response, head);
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

  /** Waits a few microtasks: a body that is whole needs no more, and a stream is not kept waiting. */
  async soon(): Promise<boolean> {
    for (let i = 0; i < 6 && !this.#settled; i++) await undefined;
    return this.#settled;
  }
}

/** Writes a piece; waits while the peer reads more slowly than we write. */
async function write(out: ServerResponse, piece: Uint8Array): Promise<void> {
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

function headLines(response: Response): string[] {
  const lines: string[] = [];
  for (const [name, value] of response.headers) lines.push(name, value);
  return lines;
}

function writeHead(out: ServerResponse, response: Response, head: string[]): void {
  // Response.error() has status 0, which is none.
  const status = response.status === 0 ? 500 : response.status;
  if (response.statusText === "") out.writeHead(status, head);
  else out.writeHead(status, response.statusText, head);
}

function carriesLength(response: Response, method: string | undefined): boolean {
  const { status, headers } = response;
  return status !== 204 && status !== 304 && status >= 200 && method !== "HEAD" && !headers.has("content-length");
}
