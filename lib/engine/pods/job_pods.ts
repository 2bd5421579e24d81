/** Pods of a job: when one has run to its end, the next that waits is started. */
import type { Log } from "../ports/log.ts";
import { shouldRestart } from "../containers/life/restart_policy.ts";
import { messageOf } from "../../oci/message_of.ts";
import type { ContainerRecord } from "../records/container_record.ts";
import type { JobPart, PodRecord } from "../records/pod_record.ts";
import type { PodFailures } from "./walk_pod.ts";
import type { PodStore } from "./pod_store.ts";

/** A pod of a job, in its place. */
type JobPod = PodRecord & { job: JobPart };

/** The parts of a job's pods that its next step needs. */
export interface JobActions {
  store: PodStore;
  start(id: string): Promise<{ failures: PodFailures }>;
  log: Log;
}

/**
 * Starts pods of a job until as many are up as may run together. Nothing is started while a pod stands that a user stopped, nor
 * once a pod has failed for good in a job that bounds its failures.
 */
export async function advanceJob({ store, start, log }: JobActions, name: string): Promise<void> {
  await store.locked(`job:${name}`, async () => {
    const pods = store.all().filter((pod): pod is JobPod => pod.job?.name === name);
    const phases = pods.map((pod) => ({ pod, phase: phaseOf(store, pod) }));
    if (phases.some(({ phase }) => phase === "stopped")) return;
    if (phases.some(({ pod, phase }) => phase === "failed" && pod.job.endsOnFailure)) return;
    let active = phases.filter(({ phase }) => phase === "active").length;
    for (const { pod, phase } of phases) {
      if (phase !== "waiting" || active >= pod.job.parallel) continue;
      try {
        const { failures: [failure] } = await start(pod.id);
        if (failure !== undefined) throw failure[1];
      } catch (error) {
        log("warn", `Job ${name}: start pod ${pod.name}: ${messageOf(error)}`);
        return;
      }
      active++;
    }
  });
}

type Phase = "waiting" | "active" | "stopped" | "failed" | "complete";

function phaseOf(store: PodStore, pod: PodRecord): Phase {
  const members = store.membersOf(pod.id).filter(({ spec }) => !spec.infra && spec.initContainer === undefined);
  if (members.every(({ state }) => state.status === "created" && state.error === "")) return "waiting";
  if (!members.every(isOver)) return "active";
  if (members.some(({ state }) => state.stoppedByUser && !state.stoppedForShutdown)) return "stopped";
  return members.some(({ state }) => state.exitCode !== 0 || state.error !== "") ? "failed" : "complete";
}

function isOver(record: ContainerRecord): boolean {
  const { status, error } = record.state;
  // One that could not be started is not tried again.
  return status === "created" ? error !== "" : status === "exited" && !shouldRestart(record);
}
