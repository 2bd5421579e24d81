import type { Client } from "../rest/mod.ts";
import { ClientError } from "./client_error.ts";
import type { Connection, Hijacked } from "./connections/connection.ts";
import { socketStreams } from "./socket_streams.ts";

/** Bytes both ways. */
export interface ByteStreams {
  readonly output: ReadableStream<Uint8Array>;
  readonly input?: WritableStream<Uint8Array>;
}

/** Ways to open the streams of a program, best first; see {@linkcode openStreams}. */
export interface StreamDoors {
  /** Calls the operation by a client: its answer is the output. */
  readonly call: (via: Client) => Promise<ReadableStream<Uint8Array>>;
  /** The path and query of the same over a WebSocket, where the server has one. */
  readonly socketPath?: string;
  readonly stdin: boolean;
  /** The subject of an error. */
  readonly action: string;
  readonly signal: AbortSignal;
}

/**
 * Opens the streams of a program: by a connection that is taken over where the platform gives one, else by a WebSocket, else, without
 * standard input, as the body of an answer.
 *
 * @throws {ClientError} `unsupported` where standard input cannot be had
 */
export async function openStreams(connection: Connection, doors: StreamDoors): Promise<ByteStreams> {
  const { call, socketPath, stdin, action, signal } = doors;
  if (connection.hijack !== undefined) {
    let taken: Hijacked | undefined;
    const output = await call({
      fetch: async (request) => (taken = await connection.hijack!(request)).response,
    });
    return { output, input: taken?.input };
  }
  if (socketPath !== undefined && connection.openWebSocket !== undefined) {
    const request = new Request(`http://localhost${socketPath}`, { signal });
    return await socketStreams(connection.openWebSocket(request, []), action, signal);
  }
  if (stdin) {
    const why =
      "fetch alone cannot send standard input to a program; connect from Deno or Node, or start a container and attach to it";
    throw new ClientError("unsupported", `${action}: ${why}`);
  }
  return { output: await call(connection) };
}
