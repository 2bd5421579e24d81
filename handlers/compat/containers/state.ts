import type { ContainerStatus } from "../../../lib/engine/records/container_record.ts";

const STATES: Record<ContainerStatus, string> = {
  created: "created",
  initialized: "created",
  running: "running",
  paused: "paused",
  stopping: "running",
  exited: "exited",
  removing: "removing",
};

/** Docker's word for a container's state. */
export function dockerState(status: ContainerStatus, awaitsRestart = false): string {
  return awaitsRestart ? "restarting" : STATES[status];
}

const STEPS: readonly [limit: number, text: (seconds: number) => string][] = [
  [1, () => "Less than a second"],
  [2, () => "1 second"],
  [60, (seconds) => `${Math.floor(seconds)} seconds`],
  [120, () => "About a minute"],
  [46 * 60, (seconds) => `${Math.floor(seconds / 60)} minutes`],
  [90 * 60, () => "About an hour"],
  [48 * 3600, (seconds) => `${Math.round(seconds / 3600)} hours`],
  [14 * 86400, (seconds) => `${Math.floor(seconds / 86400)} days`],
  [60 * 86400, (seconds) => `${Math.floor(seconds / (7 * 86400))} weeks`],
  [730 * 86400, (seconds) => `${Math.floor(seconds / (30 * 86400))} months`],
];

/** Returns the milliseconds for which {@linkcode humanDuration} says the same at least, from a duration on. */
export function untilChange(ms: number): number {
  // All longer ones change at a whole minute.
  const step = ms < 120_000 ? 1_000 : 60_000;
  return ms < 0 ? -ms : step - ms % step;
}

/** How long something took, as people say it: `5 seconds`, `About an hour`. */
export function humanDuration(ms: number): string {
  const seconds = Math.max(0, ms / 1000);
  const step = STEPS.find(([limit]) => seconds < limit);
  return step ? step[1](seconds) : `${Math.floor(seconds / (365 * 86400))} years`;
}
