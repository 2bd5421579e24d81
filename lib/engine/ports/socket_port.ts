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
