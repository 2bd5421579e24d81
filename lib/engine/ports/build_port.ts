/**
 * What builds ask of a host besides containers: sockets that lead to the client, and Git repositories.
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

/** What of a Git repository is fetched. */
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
