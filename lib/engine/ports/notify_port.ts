/** Sockets on which processes say how they are, sd_notify(3). */
export interface NotifySockets {
  /**
   * Opens the socket of a name, which is a plain file name; one that it had before goes. Throws `EngineError("unsupported")` where the
   * host lacks what it takes.
   */
  open(name: string): Promise<NotifySocket>;
}

/** An open socket. Its folder outlasts it, so that a container that has it mounted can be started again. */
export interface NotifySocket extends AsyncDisposable {
  /** The folder of the host that has the socket, as `notify.sock`. */
  readonly folder: string;
  /** The messages in order: lines of `NAME=value`, of which those that are not text lose what is none. Ends with the socket. */
  readonly messages: AsyncIterable<string>;
}
