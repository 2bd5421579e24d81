/**
 * The engine's port to a host that runs further processes in a container.
 *
 * @module
 */
import type { ContainerRecord } from "../records/container_record.ts";
import type { TerminalSize } from "../records/spec_parts.ts";
import type { Attachment } from "./host_port.ts";

/** A process beside the container's own. An absent field has the container's value. */
export interface ExecProcess {
  args: string[];
  /** `NAME=value`, over the container's. */
  env: string[];
  workdir?: string;
  /** As `ProcessConfig.user`. */
  user?: string;
  terminal: boolean;
  /** With every capability the host can give. */
  privileged: boolean;
}

/** Which streams of a process are wanted. */
export interface ExecStreams {
  stdin: boolean;
  stdout: boolean;
  stderr: boolean;
  /** Standard output goes to standard error, in the order in which both are written. Two pipes cannot tell what came first. */
  isMerged?: boolean;
}

/** How a process is started. */
export interface ExecStart {
  /** The session's ID: what the host makes of it goes by this name. */
  id: string;
  record: ContainerRecord;
  process: ExecProcess;
  /** Absent: nobody is attached, and the process outlives this one. */
  streams?: ExecStreams;
  /** The terminal's size. */
  size?: TerminalSize;
}

/** How a process ended. */
export interface ExecExit {
  /** -1 where nobody saw the end. */
  code: number;
  /** Milliseconds since the epoch. */
  time: number;
}

/** The state of a session's process, as the host knows it. */
export interface ExecState {
  status: "missing" | "running" | "stopped";
  pid?: number;
  exit?: ExecExit;
}

/** Processes in containers that run already. */
export interface Execs {
  /**
   * Runs a process. Failures of the runtime are as of `Processes.create`. An attachment's output ends with the process:
   * with all it wrote, but not waiting for children of its own that it left behind. Closing it leaves the process be.
   */
  start(options: ExecStart): Promise<{ pid: number; attachment?: Attachment }>;
  resize(id: string, size: TerminalSize): Promise<void>;
  kill(id: string, signal: number): Promise<void>;
  state(id: string): Promise<ExecState>;
  /** Calls back once for every process that ends, also one of an earlier run. Returns a function that stops it. */
  onExit(callback: (id: string, exit: ExecExit) => void): () => void;
  /** Removes what the host holds of a session, its process and what that has started included. Idempotent. */
  delete(id: string): Promise<void>;
  /** Sessions the host holds anything of. */
  list(): Promise<string[]>;
}
