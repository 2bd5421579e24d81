import type { CollectOptions } from "./session.ts";

/** A call that may be given up. */
export interface Abortable {
  readonly signal?: AbortSignal;
}

/** How a further process is run in a container. */
export interface InteractOptions extends Abortable {
  readonly env?: Readonly<Record<string, string>>;
  readonly workdir?: string;
  readonly user?: string;
  readonly privileged?: boolean;
  /** Give it a terminal. */
  readonly terminal?: boolean;
  /** Attach standard input, as by default. */
  readonly stdin?: boolean;
}

/** How a further process is run to its end. */
export interface ExecOptions extends Omit<InteractOptions, "stdin">, CollectOptions {
  /** Throw `exited` for another exit code than 0, as by default. */
  readonly check?: boolean;
}

/** Which lines of a log are read. */
export interface LogsOptions extends Abortable {
  /** Go on until the container ends. */
  readonly follow?: boolean;
  /** Only the lines of one stream. */
  readonly stream?: "stdout" | "stderr";
  /** Only so many of the last lines. */
  readonly tail?: number;
  readonly since?: Date;
  readonly until?: Date;
  /** Begin each line with its time, RFC 3339. */
  readonly timestamps?: boolean;
}

/** How one attaches to a container. */
export interface AttachToOptions extends Abortable {
  readonly stdin?: boolean;
  /** Begin with the output so far. */
  readonly logs?: boolean;
}
