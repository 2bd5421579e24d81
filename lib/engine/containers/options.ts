/** The inputs and results of the container operations. */

/**
 * The conditions of a wait. The first group are Podman's states (`configured` is another word for `created`), the second its
 * health states, the third the Docker API's additions.
 */
export const WAIT_CONDITIONS = [
  "configured",
  "created",
  "initialized",
  "running",
  "paused",
  "stopping",
  "stopped",
  "exited",
  "removing",
  "unknown",
  "healthy",
  "unhealthy",
  "removed",
  "not-running",
  "next-exit",
] as const;

/** One of {@linkcode WAIT_CONDITIONS}. */
export type WaitCondition = typeof WAIT_CONDITIONS[number];

/** Options of {@linkcode Containers.wait}. */
export interface WaitOptions {
  signal?: AbortSignal;
}

/** Options of {@linkcode Containers.stop} and {@linkcode Containers.restart}. */
export interface StopOptions {
  /** Seconds between the stop signal and SIGKILL; the container's own by default. 0 kills at once. */
  timeout?: number;
  /** The stop signal, by name or number; the container's own by default. */
  signal?: string | number;
  /** Let a paused container go on, so that it can end; else it is an error. */
  thaw?: boolean;
  /** The host goes down: the container is started by its policy when the host has been booted. */
  forShutdown?: boolean;
}

/** Options of {@linkcode Containers.restart}. */
export interface RestartOptions extends StopOptions {
  /** The event comes once the container runs again, as with Docker; by default before it is stopped, as with Podman. */
  tellsAfter?: boolean;
}

/** Options of {@linkcode Containers.remove}. */
export interface RemoveOptions {
  /** Stop (or kill, when paused) what still runs. */
  force?: boolean;
  /** Remove the container's anonymous volumes too. */
  volumes?: boolean;
  /** Seconds for the stop of a forced removal; the container's own by default. */
  timeout?: number;
  /** A container that is not there is no error. */
  ignore?: boolean;
  /** Remove the containers that depend on it first; with an infra container, its whole pod. */
  depend?: boolean;
  /** Containers that joined its namespaces stay, as in Docker: they cannot be started again. */
  leaveJoined?: boolean;
  /** A container that waits for its restart counts as running, as in Docker. */
  restartingRuns?: boolean;
  /** The caller removes the pod, whose lock it holds: an infra container may go, and the pod's record goes with it. */
  withPod?: boolean;
}

/** Options of {@linkcode Containers.kill}. */
export interface KillOptions {
  /** SIGKILL by default. */
  signal?: string | number;
  /** A container that waits for its restart counts as running, as in Docker: it stays ended. */
  restartingRuns?: boolean;
}

/** The outcome for one container of a removal. */
export interface RemoveReport {
  id: string;
  error?: Error;
}

/** A name or ID expression per filter: every key must hold, and any of its values makes it hold (labels: all of them). */
export type ContainerFilters = Record<string, readonly string[]>;

/** Options of {@linkcode Containers.list}. */
export interface ListOptions {
  /** Include containers that do not run. Implied by `last` and by a `status` filter. */
  all?: boolean;
  /** Count paused containers, those on their way to an end and those that wait for a restart as running, as Docker does. */
  paused?: boolean;
  /** The newest so many, whatever their state. */
  last?: number;
  filters?: ContainerFilters;
}

/** Options of {@linkcode Containers.logs}. */
export interface LogsOptions {
  stdout: boolean;
  stderr: boolean;
  /** Go on until the container ends. */
  follow: boolean;
  /** Milliseconds since the epoch; records at or after it. */
  since?: number;
  /** Milliseconds since the epoch; records up to it. */
  until?: number;
  /** The last so many lines; all by default. */
  tail?: number;
  signal?: AbortSignal;
}

/** Options of {@linkcode Containers.attach}. */
export interface AttachOptions {
  stdin: boolean;
  stdout: boolean;
  stderr: boolean;
  /** Send what was logged so far first. */
  logs?: boolean;
  /** Attach to the live streams (default). False, with `logs`: the log only. */
  stream?: boolean;
  /** The key sequence that detaches from a terminal, `ctrl-p,ctrl-q` by default; empty: none. */
  detachKeys?: string;
}
