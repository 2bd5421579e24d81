import type { ClientRequest, IncomingMessage, RequestOptions } from "node:http";
import { Readable } from "node:stream";
import type { ReadableStream as NodeReadableStream } from "node:stream/web";
import { makeDeferred } from "../../../rest/run/deferred.ts";

/** Statuses whose responses have no body, which `Response` insists on. */
const BODYLESS = new Set([204, 205, 304]);

/**
 * Sends a web request by `node:http` or `node:https`, with streams both ways.
 *
 * @param start Makes the request with these options, and others where it goes
 * @throws {TypeError} if the connection fails, as `fetch` does
 */
export function sendRequest(
  request: Request,
  start: (options: RequestOptions, answer: (incoming: IncomingMessage) => void) => ClientRequest,
): Promise<Response> {
  const { promise, resolve, reject } = makeDeferred<Response>();
  const { method, signal } = request;
  const headers = Object.fromEntries(request.headers);
  const outgoing = start({ method, headers }, (incoming) => {
    try {
      resolve(toResponse(incoming, signal));
    } catch (error) {
      incoming.destroy();
      reject(error);
    }
  });
  // On a connection that was used before Deno's node:http sends a request again which got no answer, be it that the caller has ended it: nothing
  // is to be done twice.
  const once = () => void (outgoing.reusedSocket = false);
  if (method !== "GET" && method !== "HEAD") outgoing.on("socket", once);
  const leave = () => {
    reject(signal.reason);
    once();
    outgoing.destroy();
  };
  signal.addEventListener("abort", leave);
  outgoing.on("close", () => signal.removeEventListener("abort", leave));
  outgoing.on("error", (error) => reject(new TypeError(error.message, { cause: error })));
  if (signal.aborted) leave();
  if (request.body === null) outgoing.end();
  else {
    // The DOM's stream type and Node's are the same object with types that differ in what nobody uses here.
    const body = Readable.fromWeb(request.body as NodeReadableStream<Uint8Array>);
    body.on("error", (error) => outgoing.destroy(error));
    const length = Number(request.headers.get("content-length") ?? "0");
    if (length > 0) sendCounted(body, outgoing, length);
    else body.pipe(outgoing);
    // A pipe leaves its source open when what it leads to is gone.
    outgoing.on("close", () => body.destroy());
  }
  return promise;
}

/**
 * Sends a body whose length the headers tell. The request ends with its last piece: Deno's node:https writes an end alone as nothing, waits
 * for that to be written, and so the next request on the connection is never sent.
 */
function sendCounted(body: Readable, outgoing: ClientRequest, length: number): void {
  let left = length;
  body.on("data", (piece: Uint8Array) => {
    if (outgoing.writableEnded) return;
    left -= piece.length;
    if (left <= 0) outgoing.end(piece);
    else if (!outgoing.write(piece)) {
      body.pause();
      outgoing.once("drain", () => body.resume());
    }
  });
  // A body that is shorter than told.
  body.on("end", () => void (outgoing.writableEnded || outgoing.end()));
}

/** The web response of what `node:http` received. */
export function toResponse(incoming: IncomingMessage, signal: AbortSignal): Response {
  const headers = new Headers();
  for (let i = 0; i < incoming.rawHeaders.length; i += 2) {
    headers.append(incoming.rawHeaders[i], incoming.rawHeaders[i + 1]);
  }
  const status = incoming.statusCode ?? 502;
  const body = BODYLESS.has(status) ? null : toBody(incoming, signal);
  if (body === null) incoming.resume();
  return new Response(body, { status, statusText: incoming.statusMessage ?? "", headers });
}

function toBody(incoming: IncomingMessage, signal: AbortSignal): ReadableStream<Uint8Array> {
  let ended = false;
  return new ReadableStream<Uint8Array>({
    start(controller) {
      const fail = (error: Error) => {
        if (ended) return;
        ended = true;
        controller.error(signal.aborted ? signal.reason : new TypeError(error.message, { cause: error }));
      };
      incoming.on("data", (chunk: Uint8Array) => {
        // A chunk that was under way when the reader cancelled still arrives.
        if (ended) return;
        controller.enqueue(chunk);
        if ((controller.desiredSize ?? 0) <= 0) incoming.pause();
      });
      incoming.on("end", () => {
        if (ended) return;
        ended = true;
        controller.close();
      });
      incoming.on("error", fail);
      // A connection that is cut may only say so by closing.
      incoming.on("close", () => fail(new Error("Connection closed before the end of the body")));
      incoming.pause();
    },
    pull: () => void incoming.resume(),
    cancel() {
      ended = true;
      incoming.destroy();
    },
  }, { highWaterMark: 4 });
}
