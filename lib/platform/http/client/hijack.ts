import type http from "node:http";
import type { IncomingMessage, RequestOptions } from "node:http";
import type { Socket } from "node:net";
import { makeDeferred } from "../../../rest/run/deferred.ts";
import { webHeaders } from "../exchange/node_request.ts";
import { SocketReader } from "../exchange/socket_reader.ts";
import { socketStreams } from "../exchange/socket_streams.ts";
import { toResponse } from "./send_request.ts";

/** A connection that was taken over: the answer's body is what the server sends. */
export interface Taken {
  readonly response: Response;
  /** Bytes for the server; closing it closes this half only. Absent where the server did not give the connection away. */
  readonly input?: WritableStream<Uint8Array>;
}

/**
 * Sends a request with `Upgrade`, and takes the connection over: with `tcp`, which Docker's and Podman's attach and exec are asked with, unless
 * the request names another protocol. Aborting the request's signal closes it, then too.
 *
 * @param start Makes the request with these options, and others where it goes
 * @throws {TypeError} if the connection fails, as `fetch` does
 */
export async function hijackRequest(
  request: Request,
  start: (options: RequestOptions) => http.ClientRequest,
): Promise<Taken> {
  const { promise, resolve, reject } = makeDeferred<Taken>();
  const { method, signal } = request;
  const body = new Uint8Array(await request.arrayBuffer());
  signal.throwIfAborted();
  // The body is gathered, and has a length, however it came.
  const { "transfer-encoding": _, ...own } = Object.fromEntries(request.headers);
  const headers = {
    ...own,
    connection: "Upgrade",
    upgrade: request.headers.get("upgrade") ?? "tcp",
    "content-length": String(body.length),
  };
  const outgoing = start({ method, headers });
  const leave = () => {
    reject(signal.reason);
    outgoing.destroy();
  };
  signal.addEventListener("abort", leave, { once: true });
  outgoing.on("upgrade", (incoming: IncomingMessage, socket: Socket, head: Uint8Array) => {
    signal.removeEventListener("abort", leave);
    signal.addEventListener("abort", () => socket.destroy(), { once: true });
    const { readable, writable } = socketStreams(socket, new SocketReader(socket, head));
    resolve({ response: new Response(readable, { headers: webHeaders(incoming.rawHeaders) }), input: writable });
  });
  outgoing.on("response", (incoming: IncomingMessage) => resolve({ response: toResponse(incoming, signal) }));
  outgoing.on("error", (error: Error) => reject(new TypeError(error.message, { cause: error })));
  outgoing.end(body);
  return await promise;
}
