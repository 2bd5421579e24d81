/**
 * The host's part in builds besides containers: sockets that lead to the client, and Git repositories.
 *
 * @module
 */

/** A connection, both ways. */
export interface SocketConnection {
  readable: ReadableStream<Uint8Array>;
  writable: WritableStream<Uint8Array>;
}

/** How a socket is made. */
export interface SocketOptions {
  /** As `chmod(2)` has it. */
  mode: number;
  uid: number;
  gid: number;
  /** Opens the other end, once for each client; `undefined` turns the client away. */
  connect: () => Promise<SocketConnection | undefined>;
}

/** A Unix socket of this host; disposing of it closes it and its connections, and removes it. */
export interface LocalSocket extends AsyncDisposable {
  /** Absolute. */
  readonly path: string;
}

/** Unix sockets of this host that programs in containers connect to. */
export interface LocalSockets {
  /** Makes one in a folder of its own. */
  listen(options: SocketOptions): Promise<LocalSocket>;
}

/** A commit that is fetched. */
export interface GitRequest {
  /** `http`, `https` or `git`; never an option of a program. */
  url: string;
  /** A branch, a tag or a commit; the repository's own choice by default. */
  ref?: string;
  /** Give the folder `.git`, too. */
  keepsHistory?: boolean;
  /** The most bytes of one file. */
  limit: number;
  signal: AbortSignal;
}

/** A commit's files. */
export interface GitFiles {
  /** Hex. */
  commit: string;
  /** A tar archive in a fixed order, its times those of the commit. Ending it removes what was fetched. */
  archive: ReadableStream<Uint8Array>;
}

/** Git repositories. */
export interface GitRepositories {
  /** Fetches a commit, without submodules; nothing of the repository is run. Throws `EngineError`: `invalid`, `unsupported`. */
  fetch(request: GitRequest): Promise<GitFiles>;
}

/** The keys and values that go with a call besides its messages; keys are in lower case. */
export type CallMetadata = Readonly<Record<string, string | readonly string[]>>;

/** An end of a call that is no success. `code` is one of gRPC's status codes. */
export class GRPCError extends Error {
  override name = "GRPCError";

  constructor(readonly code: number, message: string, options?: ErrorOptions) {
    super(message, options);
  }
}

/** The status codes of gRPC that are told apart here. */
export const GRPC_CODES = {
  ...{ cancelled: 1, unknown: 2, invalidArgument: 3, notFound: 5, alreadyExists: 6 },
  ...{
    permissionDenied: 7,
    resourceExhausted: 8,
    failedPrecondition: 9,
    unimplemented: 12,
    internal: 13,
    unavailable: 14,
  },
} as const;

/** A call that a client makes. */
export interface IncomingCall {
  /** `/moby.buildkit.v1.Control/Solve`. */
  method: string;
  metadata: CallMetadata;
  /** The messages of the client, as bytes; a call with one message has one. */
  messages: AsyncIterable<Uint8Array>;
  /** Aborts when the client gives the call up, or is gone. */
  signal: AbortSignal;
  /** Sends a message. Resolves when there is room for the next. */
  send(message: Uint8Array): Promise<void>;
}

/** The other end of a connection, which can be called. */
export interface GRPCClient {
  /**
   * Makes a call, and gives the messages of the answer. Ending the iteration gives the call up. Throws {@linkcode GRPCError}.
   *
   * @param messages Messages for the other end; the call goes on for its answer when they have ended
   */
  call(
    method: string,
    messages: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
    options?: { metadata?: CallMetadata; signal?: AbortSignal },
  ): AsyncGenerator<Uint8Array, void>;
  /** Resolves when the connection has ended. */
  readonly closed: Promise<void>;
  close(): void;
}

/** Calls by gRPC over a connection that is open already. */
export interface GRPC {
  /** Serves calls until the connection ends. A handler that throws a {@linkcode GRPCError} ends its call with that. */
  serve(connection: SocketConnection, handle: (call: IncomingCall) => Promise<void>): Promise<void>;
  connect(connection: SocketConnection): GRPCClient;
}
