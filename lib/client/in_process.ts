import type { Handler } from "../rest/mod.ts";
import type { Connection, Hijacked } from "./connection.ts";

/**
 * A connection to a handler in this process. It has no socket to give to attach and exec: a pair of streams stands for one.
 *
 * @param handler The handler of an engine: `engineHandler(engine)`
 * @param close Called when the connection is closed
 *
 * @example
 * ```ts
 * import { connectHandler, openEngine } from "./mod.ts";
 * const handler = () => Promise.resolve(new Response("OK", { headers: { "libpod-api-version": "6.0.0", server: "Libpod/6.0.0" } }));
 * await using engine = await openEngine(connectHandler(handler));
 * console.assert(engine.tree === "libpod");
 * ```
 */
export function connectHandler(handler: Handler, close: () => Promise<void> = () => Promise.resolve()): Connection {
  return {
    // Bodies of this process need no measure of their own.
    fetch: (request) => handler(request, { boundedBodies: true }),
    hijack: (request) => hijackHandler(handler, request),
    close,
  };
}

async function hijackHandler(handler: Handler, request: Request): Promise<Hijacked> {
  const toServer = new TransformStream<Uint8Array, Uint8Array>();
  const toClient = new TransformStream<Uint8Array, Uint8Array>();
  let isTaken = false;
  // A handler gives the marker back as it is; its status says nothing, and 101 has no place in a Response.
  const marker = new Response(null);
  const response = await handler(request, {
    upgrade() {
      isTaken = true;
      return { readable: toServer.readable, writable: copyPieces(toClient.writable), response: marker };
    },
  });
  if (!isTaken) return { response };
  const leave = () => {
    void toServer.writable.abort(request.signal.reason).catch(() => {});
    void toClient.writable.abort(request.signal.reason).catch(() => {});
  };
  request.signal.addEventListener("abort", leave, { once: true });
  return { response: new Response(toClient.readable), input: toServer.writable };
}

/** The server may write over its bytes when a write is done, and the reader has them still: they are copied. */
function copyPieces(target: WritableStream<Uint8Array>): WritableStream<Uint8Array> {
  const writer = target.getWriter();
  return new WritableStream<Uint8Array>({
    write: (piece) => writer.write(piece.slice()),
    close: () => writer.close(),
    abort: (reason) => writer.abort(reason),
  });
}
