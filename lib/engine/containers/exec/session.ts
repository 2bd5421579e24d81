import type { ContainerStatus } from "../../records/container_record.ts";
import type { TerminalSize } from "../../records/spec_parts.ts";

/** A caller's request for an exec session. */
export interface ExecConfig {
  command: string[];
  /** `NAME=value`, over the container's. */
  env: string[];
  /** The container's by default. */
  user?: string;
  workdir?: string;
  terminal: boolean;
  privileged: boolean;
  attachStdin: boolean;
  attachStdout: boolean;
  attachStderr: boolean;
  /** The key sequence that detaches, `ctrl-p,ctrl-q` by default; empty: none. */
  detachKeys?: string;
  /** The terminal's first size. */
  size?: TerminalSize;
  /** Whether it may begin while the container is being stopped, which Docker counts as running and Podman does not. */
  whileStopping?: boolean;
}

/** Whether a session may be made and started in a container as it is. */
export function takesSession(status: ContainerStatus, { whileStopping = false }: ExecConfig): boolean {
  return status === "running" || (status === "stopping" && whileStopping);
}

/** An exec session as stored. */
export interface ExecSession {
  /** 64 hex digits. */
  id: string;
  containerID: string;
  config: ExecConfig;
  status: "created" | "running" | "exited";
  /** 0 while it has no process. */
  pid: number;
  /** The process's own; 125 to 127 where there was none. */
  exitCode: number;
  /** The process could not be started: the exit code is this engine's. */
  isUnstarted?: boolean;
  /** Milliseconds since the epoch; 0 before the end. */
  finishedAt: number;
}
