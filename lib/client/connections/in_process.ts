import type { Handler } from "../../rest/mod.ts";
import type { Connection, Hijacked } from "./connection.ts";
import { endableInput } from "../endable_input.ts";
import { orAborted } from "../or_aborted.ts";

/**
 * A connection to a handler in this process. It has no socket to give to attach and exec: a pair of streams stands for one.
 *
 * @param handler The handler of an engine: `engineHandler(engine)`
 * @param close Called when the connection is closed
 *
 * @example
 * ```ts
 * import { connectHandler, openEngine } from "../mod.ts";
 * const handler = () => Promise.resolve(new Response("OK", { headers: { "libpod-api-version": "6.0.0", server: "Libpod/6.0.0" } }));
 * await using engine = await openEngine(connectHandler(handler));
 * console.assert(engine.tree === "libpod");
 * ```
 */
export function connectHandler(handler: Handler, close: () => Promise<void> = () => Promise.resolve()): Connection {
  return {
    async fetch(request) {
      const { signal } = request;
      signal.throwIfAborted();
      // Bodies of this process need no measure of their own.
      const response = await orAborted(handler(request, { boundedBodies: true }), signal);
      if (response.body === null) return response;
      // A fetch ends its body when it is aborted; a handler leaves that to the connection.
      return new Response(response.body.pipeThrough(new TransformStream(), { signal }), response);
    },
    hijack: (request) => hijackHandler(handler, request),
    close,
  };
}

async function hijackHandler(handler: Handler, request: Request): Promise<Hijacked> {
  const { signal } = request;
  signal.throwIfAborted();
  const toServer = new TransformStream<Uint8Array, Uint8Array>();
  const toClient = new TransformStream<Uint8Array, Uint8Array>();
  let isTaken = false;
  // A handler gives the marker back as it is; its status says nothing, and 101 has no place in a Response.
  const marker = new Response(null);
  const answer = handler(request, {
    upgrade() {
      isTaken = true;
      const readable = toServer.readable.pipeThrough(new TransformStream(), { signal });
      return { readable, writable: copyPieces(toClient.writable), response: marker };
    },
  });
  const response = await orAborted(answer, signal);
  if (!isTaken) return { response };
  const writer = toServer.writable.getWriter();
  const { input, end: endInput } = endableInput(writer);
  const end = () => {
    endInput();
    // Its reader may be gone.
    writer.abort(new Error("The server has closed the connection")).catch(() => {});
  };
  const output = toClient.readable.pipeThrough(new TransformStream({ flush: end, cancel: end }), { signal });
  return { response: new Response(output), input };
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
