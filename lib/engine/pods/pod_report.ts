import type { ContainerStats } from "../containers/stats.ts";
import { EngineError } from "../errors.ts";
import type { PodRecord } from "../records/pod_record.ts";
import type { PodFailures } from "./walk_pod.ts";

/** The outcome of an operation on the containers of a pod. */
export interface PodReport {
  pod: PodRecord;
  /** The containers that failed; empty: none did. */
  failures: PodFailures;
}

/** The outcome of {@linkcode Pods.remove}. */
export interface PodRemovalReport extends PodReport {
  /** IDs of the containers that went, in the order of removal. */
  removed: string[];
}

/** The resource usage of one pod. */
export interface PodStats {
  pod: PodRecord;
  /** The containers that have a process. */
  containers: ContainerStats[];
}

/** Returns the error that tells why a pod could not be removed, in Podman's words. */
export function podRemovalError({ id }: PodRecord, failures: PodFailures): EngineError {
  const sentinel = "removing pod containers";
  const count = `${failures.size} error${failures.size > 1 ? "s" : ""} occurred:`;
  const lines = [...failures.values()].map(({ message }) => `\t* ${message}\n`).join("");
  const text = `not all containers could be removed from pod ${id}: ${sentinel}. ${count}\n${lines}\n`;
  return new EngineError("state", text, { sentinel });
}
