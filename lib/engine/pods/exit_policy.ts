/** The exit policy of pods: with `stop`, a pod whose last container has ended lets its infra container go. */
import type { Context } from "../containers/context.ts";
import { hadEnded, killContainer, stopContainer } from "../containers/life/stop.ts";
import { shouldRestart } from "../containers/life/restart_policy.ts";
import type { ContainerRecord } from "../records/container_record.ts";
import { stopIdleService } from "./service_container.ts";

/** Follows the exit policy of the pod of a container that has ended, behind the answers. */
export function leavePod(context: Context, ended: ContainerRecord): void {
  const { pod, infra, initContainer } = ended.spec;
  // Init containers end before anything has begun.
  if (pod === undefined || infra || initContainer !== undefined) return;
  const record = context.pods.get(pod);
  if (record === undefined) return;
  if (record.exitPolicy === "stop") {
    context.background(`follow the exit policy of pod ${pod}`, stopIdlePod(context, pod));
  } else if (record.serviceContainer !== undefined) {
    context.background(`look after the service of pod ${pod}`, stopService(context, pod));
  }
}

/** Stops the infra container of a pod where no other container is up, or about to be. */
export async function stopIdlePod(context: Context, podID: string): Promise<void> {
  const { pods } = context;
  const idle = await pods.locked(podID, async () => {
    const pod = pods.get(podID);
    if (pod === undefined || pods.membersOf(podID).some((member) => !member.spec.infra && isNeeded(member))) return;
    const infra = context.records.get(pod.infraID);
    if (infra?.state.status === "running") {
      await stopContainer(context, infra.id).catch((error) => {
        if (!hadEnded(error)) throw error;
      });
      pods.emit(pod, "stop");
    }
    return pod;
  });
  if (idle !== undefined && !context.closing.aborted) await pods.tellRest(idle);
  await stopService(context, podID);
}

async function stopService(context: Context, podID: string): Promise<void> {
  const pod = context.pods.get(podID);
  if (pod === undefined) return;
  const actions = {
    get: (id: string) => context.records.get(id),
    kill: (id: string, options: { signal: string }) => killContainer(context, id, options),
  };
  await stopIdleService(context.pods, actions, pod);
}

/** Whether the pod must stay up for a container. */
function isNeeded(record: ContainerRecord): boolean {
  const { status } = record.state;
  if (status === "exited") return shouldRestart(record);
  return status !== "removing" && status !== "stopping";
}
