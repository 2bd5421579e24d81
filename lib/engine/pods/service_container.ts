/**
 * Service containers: one runs as long as any of the pods that name it, and goes with the last of them.
 *
 * Source: Podman's `libpod/service.go`.
 *
 * @module
 */
import { EngineError } from "../errors.ts";
import type { ContainerRecord } from "../records/container_record.ts";
import type { PodRecord } from "../records/pod_record.ts";
import { podStatus } from "./pod_status.ts";
import type { PodStore } from "./pod_store.ts";

/** The operations on containers that a service needs. */
export interface ServiceActions {
  get(id: string): ContainerRecord | undefined;
  kill(id: string, options: { signal: string }): Promise<void>;
}

/** States of pods that need no service. */
const IDLE = ["Stopped", "Exited", "Error"];

/** Ends the service container of a pod when none of its pods runs any more. The pause program exits at SIGINT. */
export async function stopIdleService(pods: PodStore, actions: ServiceActions, pod: PodRecord): Promise<void> {
  const id = pod.serviceContainer;
  if (id === undefined || actions.get(id)?.state.status !== "running") return;
  if (!pods.servedBy(id).every((served) => IDLE.includes(podStatus(pods.membersOf(served.id))))) return;
  try {
    await actions.kill(id, { signal: "SIGINT" });
  } catch (error) {
    // It has ended by itself.
    if (!(error instanceof EngineError) || (error.code !== "state" && error.code !== "no_such_container")) throw error;
  }
}
