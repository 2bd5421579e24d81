/** A process of a container that pretends: a function of JavaScript runs in its place. */
export interface PretendProcess {
  /** The program's name and arguments. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly workdir: string;
  /** Whether it is the container's own process, or one that exec started in it. */
  readonly isMain: boolean;
  /** The container's files by absolute path, which all its processes share. They go with the container. */
  readonly files: Map<string, Uint8Array>;
  /** The container's published ports: ports of the host by its own. Nobody listens there but a server that the program starts. */
  readonly ports: Readonly<Record<number, number>>;
  /** Standard input; empty where it is not attached. */
  readonly stdin: ReadableStream<Uint8Array>;
  /** Aborted when the process is killed or stopped. A function cannot be ended from outside: it should return then. */
  readonly signal: AbortSignal;
  /** Writes output. After the process has ended it goes nowhere. */
  write(output: string | Uint8Array, stream?: "stdout" | "stderr"): void;
}

/** How a pretended process ends at once: its output, and its exit code, which is 0 by default. */
export interface PretendOutcome {
  readonly stdout?: string;
  readonly stderr?: string;
  readonly exitCode?: number;
}

/**
 * A program of an image that pretends. It returns an exit code, 0 where it returns none; an error that it throws is written to standard
 * error, and it exits with 1.
 */
export type PretendProgram =
  | PretendOutcome
  | ((
    process: PretendProcess,
  ) => number | void | PretendOutcome | Promise<number | void | PretendOutcome>);
