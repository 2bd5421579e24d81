/**
 * gRPC over connections that are open already, on `node:http2`. The packages for gRPC open their connections themselves, and here both ends
 * are given: clients of BuildKit take connections of HTTP over, and are called back on one of them.
 *
 * @module
 */
import http2, { type ClientHttp2Session, type IncomingHttpHeaders, type ServerHttp2Stream } from "node:http2";
import { Duplex } from "node:stream";
import {
  type CallMetadata,
  type GRPC,
  GRPC_CODES,
  type GRPCClient,
  GRPCError,
  type IncomingCall,
  type SocketConnection,
} from "../../../engine/ports/build_port.ts";
import { EngineError } from "../../../engine/errors.ts";
import { messageOf } from "../../../oci/message_of.ts";
import { frameMessage, splitMessages } from "./grpc_frames.ts";

/** Calls of one connection at a time. */
const MOST_CALLS = 256;
/** Bytes that may be under way unread, of a call and of a connection. */
const WINDOW = 1 << 20;
const CONTENT_TYPE = "application/grpc";

/** {@linkcode GRPC} of this runtime. */
export const nodeGRPC: GRPC = { serve: serveConnection, connect: connectClient };

async function serveConnection(
  connection: SocketConnection,
  handle: (call: IncomingCall) => Promise<void>,
): Promise<void> {
  const server = http2.createServer({ settings: { maxConcurrentStreams: MOST_CALLS, initialWindowSize: WINDOW } });
  const ended = Promise.withResolvers<void>();
  server.on("stream", (stream, headers) => void answerCall(stream, headers, handle));
  server.on("session", (session) => {
    session.setLocalWindowSize(WINDOW);
    session.on("error", () => session.destroy());
    session.on("close", () => ended.resolve());
  });
  server.on("sessionError", () => ended.resolve());
  const duplex = duplexOf(connection);
  duplex.on("close", () => ended.resolve());
  server.emit("connection", duplex);
  await ended.promise;
  duplex.destroy();
}

async function answerCall(
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  handle: (call: IncomingCall) => Promise<void>,
): Promise<void> {
  const gone = new AbortController();
  let status = { "grpc-status": "0", "grpc-message": "" };
  stream.on("error", () => gone.abort());
  stream.on("close", () => gone.abort());
  stream.on("wantTrailers", () => stream.sendTrailers(status));
  const begin = () => {
    if (!stream.headersSent && !stream.destroyed) {
      stream.respond({ ":status": 200, "content-type": CONTENT_TYPE }, { waitForTrailers: true });
    }
  };
  try {
    await handle({
      method: String(headers[":path"] ?? ""),
      metadata: readMetadata(headers),
      // A call with one message is not over when that has been read.
      messages: splitMessages(stream.iterator({ destroyOnReturn: false })),
      signal: gone.signal,
      async send(message) {
        begin();
        await writePiece(stream, frameMessage(message), gone.signal);
      },
    });
  } catch (error) {
    status = { "grpc-status": String(codeOf(error)), "grpc-message": encodeURIComponent(messageOf(error)) };
  }
  if (stream.destroyed) return;
  begin();
  stream.end();
}

function codeOf(error: unknown): number {
  if (error instanceof GRPCError) return error.code;
  if (!(error instanceof EngineError)) return GRPC_CODES.unknown;
  return error.code === "cancelled" ? GRPC_CODES.cancelled : GRPC_CODES.unknown;
}

function connectClient(connection: SocketConnection): GRPCClient {
  const duplex = duplexOf(connection);
  const session = http2.connect("http://localhost", {
    createConnection: () => duplex,
    settings: { initialWindowSize: WINDOW, enablePush: false },
  });
  const ended = Promise.withResolvers<void>();
  session.on("connect", () => session.setLocalWindowSize(WINDOW));
  session.on("error", () => session.destroy());
  session.on("close", () => ended.resolve());
  duplex.on("close", () => ended.resolve());
  return {
    call: (method, messages, options = {}) => makeCall(session, method, messages, options),
    closed: ended.promise,
    close() {
      session.destroy();
      duplex.destroy();
    },
  };
}

async function* makeCall(
  session: ClientHttp2Session,
  method: string,
  messages: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  { metadata = {}, signal }: { metadata?: CallMetadata; signal?: AbortSignal },
): AsyncGenerator<Uint8Array, void> {
  signal?.throwIfAborted();
  if (session.destroyed || session.closed) throw new GRPCError(GRPC_CODES.unavailable, "the client has left");
  const stream = session.request({
    ":method": "POST",
    ":path": method,
    "content-type": CONTENT_TYPE,
    te: "trailers",
    // Lists of values are written as several headers.
    ...metadata as Record<string, string | string[]>,
  });
  const over = new AbortController();
  let status: IncomingHttpHeaders | undefined;
  let failure: unknown;
  stream.on("error", (error) => {
    failure ??= error;
    over.abort();
  });
  stream.on("close", () => over.abort());
  const note = (headers: IncomingHttpHeaders) => {
    if (headers["grpc-status"] !== undefined) status = headers;
  };
  stream.on("response", note);
  stream.on("trailers", note);
  const cancel = () => stream.close(http2.constants.NGHTTP2_CANCEL);
  signal?.addEventListener("abort", cancel, { once: true });
  const sent = sendMessages(stream, messages, over.signal).catch((error) => {
    failure ??= error;
    cancel();
  });
  try {
    yield* splitMessages(stream.iterator({ destroyOnReturn: false }));
    signal?.throwIfAborted();
    // Trailers may come behind the end of the bytes.
    if (status === undefined && !over.signal.aborted) {
      await new Promise((resolve) => stream.once("close", resolve));
    }
    const code = Number(status?.["grpc-status"] ?? GRPC_CODES.unavailable);
    if (code !== 0) throw new GRPCError(code, readText(status?.["grpc-message"]) || "the client ended the call");
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof GRPCError) throw error;
    const cause = failure ?? error;
    throw new GRPCError(GRPC_CODES.unavailable, `the client ended the call: ${messageOf(cause)}`, { cause });
  } finally {
    signal?.removeEventListener("abort", cancel);
    if (!stream.closed) cancel();
    over.abort();
    await sent;
  }
}

async function sendMessages(
  stream: Duplex,
  messages: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  signal: AbortSignal,
): Promise<void> {
  for await (const message of messages) {
    if (signal.aborted) return;
    await writePiece(stream, frameMessage(message), signal);
  }
  if (!signal.aborted) stream.end();
}

function writePiece(stream: Duplex, piece: Uint8Array, signal: AbortSignal): Promise<void> {
  if (signal.aborted || stream.destroyed) return Promise.resolve();
  if (stream.write(piece)) return Promise.resolve();
  return new Promise((resolve) => {
    stream.once("drain", resolve);
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

function duplexOf({ readable, writable }: SocketConnection): Duplex {
  // The types of Node's web streams are other ones than the platform's, of the same objects.
  const duplex = Duplex.fromWeb({ readable, writable } as unknown as Parameters<typeof Duplex.fromWeb>[0]);
  duplex.on("error", () => duplex.destroy());
  return duplex;
}

function readMetadata(headers: IncomingHttpHeaders): CallMetadata {
  const own = Object.entries(headers).filter(([key, value]) => !key.startsWith(":") && value !== undefined);
  return Object.fromEntries(own as [string, string | string[]][]);
}

function readText(value: string | string[] | undefined): string {
  const text = String(value ?? "");
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
