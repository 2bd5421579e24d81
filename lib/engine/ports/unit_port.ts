/** The manager of services that runs the host: systemd. */
export interface UnitManager {
  /** Has it read all units anew, those of quadlets among them. */
  reload(): Promise<void>;
  /** Starts a unit, and resolves when it is ready. Throws `state` with what the manager says of a failure. */
  start(unit: string): Promise<void>;
  /** Stops a unit, and resolves when it has. */
  stop(unit: string): Promise<void>;
  /** Stops a unit if it runs, and starts it. Throws `state` as the start does. */
  restart(unit: string): Promise<void>;
  /** The states of units as `active/running`; of one that it does not know `Not loaded`. */
  states(units: readonly string[]): Promise<Map<string, string>>;
}

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
