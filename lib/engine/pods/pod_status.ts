import type { ContainerRecord, ContainerStatus } from "../records/container_record.ts";

/** Podman's names for the states of pods. */
export type PodStatus = "Created" | "Running" | "Degraded" | "Paused" | "Stopped" | "Exited" | "Error";

/** How the state of one container counts; the others count as errors: nobody can tell what becomes of them. */
const COUNTS: Partial<Record<ContainerStatus, PodStatus>> = {
  created: "Created",
  initialized: "Created",
  running: "Running",
  paused: "Paused",
  exited: "Exited",
};

/**
 * Returns the state of a pod, which is made of those of its containers. Init containers do not count.
 *
 * | state    | containers                                       |
 * | -------- | ------------------------------------------------ |
 * | Created  | none, or none that ever ran                      |
 * | Running  | all run                                          |
 * | Degraded | some run                                         |
 * | Paused   | all are paused                                   |
 * | Exited   | all have ended                                   |
 * | Stopped  | some have ended, and none runs                   |
 * | Error    | some are on their way to another state, or worse |
 *
 * Source: `createPodStatusResults` of Podman's `libpod/pod_status.go`.
 */
export function podStatus(members: readonly Pick<ContainerRecord, "spec" | "state">[]): PodStatus {
  const states = members.filter(({ spec }) => spec.initContainer === undefined)
    .map(({ state }) => COUNTS[state.status] ?? "Error");
  const count = (status: PodStatus) => states.filter((state) => state === status).length;
  if (states.length === 0) return "Created";
  if (count("Running") > 0) return count("Running") === states.length ? "Running" : "Degraded";
  if (count("Paused") === states.length) return "Paused";
  if (count("Exited") > 0) return count("Exited") === states.length ? "Exited" : "Stopped";
  return count("Error") > 0 ? "Error" : "Created";
}
