import type { ContainerRecord } from "../../records/container_record.ts";

const FIRST_DELAY_MS = 100;
const LONGEST_DELAY_MS = 60_000;
/** A container that ran this long is taken to have worked: its next restart waits no longer than the first. */
const STEADY_MS = 10_000;

/** Whether a container that has ended is to be started again by its policy. */
export function shouldRestart(record: ContainerRecord): boolean {
  const { restartPolicy } = record.spec;
  const { stoppedByUser, exitCode, restartCount } = record.state;
  if (!restartPolicy || restartPolicy.name === "no" || stoppedByUser) return false;
  if (restartPolicy.name !== "on-failure") return true;
  return exitCode !== 0 && !(restartPolicy.retries && restartCount >= restartPolicy.retries);
}

/** Whether the policy wants the container up after its host has been booted. */
export function shouldStartOnBoot({ spec, state }: ContainerRecord): boolean {
  const policy = spec.restartPolicy?.name;
  const isStopped = state.stoppedByUser && !state.stoppedForShutdown;
  return policy === "always" || (policy === "unless-stopped" && !isStopped);
}

/** Milliseconds to wait before a restart: twice as long after each one that did not hold. */
export function restartDelay({ state }: ContainerRecord): number {
  const { startedAt, finishedAt, restartDelay } = state;
  if (restartDelay === undefined || finishedAt - startedAt >= STEADY_MS) return FIRST_DELAY_MS;
  return Math.min(restartDelay * 2, LONGEST_DELAY_MS);
}
