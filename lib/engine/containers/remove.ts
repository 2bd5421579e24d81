import type { ContainerRecord } from "../records/container_record.ts";
import { EngineError } from "../errors.ts";
import { SIGKILL } from "../text/signals.ts";
import { cleanUp } from "./life/clean_up.ts";
import { type Context, emitEvent, isLive, withContainerLock } from "./context.ts";
import { requireHost } from "../core.ts";
import { removeIDFile } from "./id_file.ts";
import { improperState, isCode } from "./failures.ts";
import { messageOf } from "../../oci/message_of.ts";
import { anonymousVolumes } from "./create/mounts.ts";
import { onProcess } from "./life/on_process.ts";
import { isInfraOf, servesPods } from "../pods/pod_errors.ts";
import type { RemoveOptions, RemoveReport } from "./options.ts";
import { awaitsRestart } from "./life/restart_wait.ts";
import { hadEnded, stopContainer } from "./life/stop.ts";

/** The kind of the intents that say what a removal was to take along. */
export const REMOVE_INTENT = "container.remove";

/** How often a forced removal stops a container that others keep starting. */
const TRIES = 5;

/** Removes a container, and those that depend on it when asked. */
export async function removeContainer(
  context: Context,
  nameOrID: string,
  options: RemoveOptions = {},
): Promise<RemoveReport[]> {
  requireHost(context.core);
  const found = findContainer(context, nameOrID, options);
  if (!found) return [];
  const { infra, pod } = found.spec;
  if (!options.withPod) {
    const served = context.pods.servedBy(found.id).map(({ id }) => id);
    if (served.length > 0) throw servesPods(found.id, served);
    if (infra && pod !== undefined) {
      if (!options.depend) throw isInfraOf(found.id, pod);
      return await context.pods.locked(pod, () => removeWholePod(context, pod, found.id, options));
    }
  }
  return await removeWithDependents(context, found, options);
}

/** Removes a pod by its infra container: the others go first. The caller holds the pod's lock. */
async function removeWholePod(
  context: Context,
  podID: string,
  infraID: string,
  options: RemoveOptions,
): Promise<RemoveReport[]> {
  const reports: RemoveReport[] = [];
  const others = context.pods.membersOf(podID).filter(({ id }) => id !== infraID);
  for (const { id } of [...others.reverse(), { id: infraID }]) {
    reports.push(...await removeContainer(context, id, { ...options, ignore: true, withPod: true }));
  }
  return reports;
}

async function removeWithDependents(
  context: Context,
  found: ContainerRecord,
  options: RemoveOptions,
): Promise<RemoveReport[]> {
  const reports: RemoveReport[] = [];
  const { records } = context;
  const dependents = options.leaveJoined ? records.requirersOf(found.id) : records.dependentsOf(found.id);
  if (dependents.length > 0 && !options.depend) throw hasDependents(found.id, dependents.map(({ id }) => id));
  for (const { id } of dependents) reports.push(...await removeContainer(context, id, { ...options, ignore: true }));
  await removeOne(context, found.id, options);
  return [...reports, { id: found.id }];
}

/** Removes a container that has no process. The caller holds the lock. */
export async function removeLocked(
  context: Context,
  record: ContainerRecord,
  options: { volumes?: boolean; behind?: boolean } = {},
): Promise<void> {
  const { core, records, volumes, teardowns } = context;
  const host = requireHost(context.core);
  if (isLive(record)) await cleanUp(context, record);
  const { intent, operation } = core.intents.begin(REMOVE_INTENT, record.id, {
    volumes: String(options.volumes ?? false),
  });
  const { behind } = options;
  const removing = await records.saveState(record, { status: "removing" }, [operation]);
  await Promise.all([host.layers.destroy(record.id, { behind }), host.processes.deleteLog(record.log)]);
  await removeIDFile(context, record);
  const removals = options.volumes ? ownVolumes(context, record).map((name) => volumes.planRemoval(name)) : [];
  const teardown = teardowns.handOver(record.id);
  const begun = core.intents.open(REMOVE_INTENT).filter(({ subject }) => subject === record.id);
  const ended = [intent, ...begun.filter(({ id }) => id !== intent.id)].map((each) => core.intents.end(each));
  const planned = removals.flatMap(({ operations }) => operations);
  const { id } = record;
  context.health.forget(id);
  const { sessions, health, treeUses, secrets } = context;
  const parts = [sessions.dropAll(id), health.states.drop(id), treeUses.forget(id), secrets.drop(id)];
  const rest = parts.flat();
  const pod = record.spec.infra ? context.pods.get(record.spec.pod ?? "") : undefined;
  if (pod?.cgroupPath) await host.resources.removeGroup(pod.cgroupPath);
  const gone = pod === undefined ? [] : [context.pods.drop(pod.id)];
  await records.drop(removing, [...teardown.operations, ...planned, ...ended, ...rest, ...gone]);
  context.background(`take down the network of ${record.id}`, teardown.after());
  emitEvent(context, record, "remove", record.state.exitCode);
  if (pod !== undefined) context.pods.emit(pod, "remove");
  for (const { finish } of removals) {
    // The container is gone: what a volume leaves behind is the next recovery's.
    await finish({ behind }).catch((error) =>
      core.log("error", `Remove a volume of container ${record.id}: ${messageOf(error)}`)
    );
  }
}

async function removeOne(context: Context, id: string, options: RemoveOptions): Promise<void> {
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const step = await withContainerLock(context, id, () => nextStep(context, id, options));
    if (step === "done") return;
    if (step === "stop") await stopForRemoval(context, id, options);
  }
  throw new EngineError("state", `cannot remove container ${id} as it could not be stopped: it was started again`);
}

/** Removes the container where that is possible now, or says what must come before. */
async function nextStep(context: Context, id: string, options: RemoveOptions): Promise<"done" | "stop" | "again"> {
  const record = context.records.get(id);
  // Somebody else was faster: gone is gone.
  if (!record) return "done";
  const { status } = record.state;
  const runs = status === "running" || status === "paused" || status === "stopping";
  if (!runs && options.restartingRuns && !options.force && awaitsRestart(context, record)) {
    throw improperState(`cannot remove container ${id} as it is restarting - stop it before, or remove it with force`);
  }
  if (!runs) {
    await removeLocked(context, record, options);
    return "done";
  }
  if (!options.force) {
    const reason = "running or paused containers cannot be removed without force";
    throw improperState(`cannot remove container ${id} as it is ${status} - ${reason}`);
  }
  if (status !== "paused") return "stop";
  // A frozen process cannot die: it is killed first and let go then.
  const { processes } = requireHost(context.core);
  try {
    await onProcess(context, id, `container ${id} has ended`, () => processes.kill(id, SIGKILL));
  } catch (error) {
    // Its end waits for this lock.
    if (isCode(error, "state")) return "again";
    throw error;
  }
  await processes.resume(id).catch(() => {});
  await context.records.saveState(record, { status: "stopping", stoppedByUser: true });
  return "stop";
}

async function stopForRemoval(context: Context, id: string, options: RemoveOptions): Promise<void> {
  try {
    await stopContainer(context, id, { timeout: options.timeout });
  } catch (error) {
    if (hadEnded(error) || isCode(error, "state")) return;
    const text = `cannot remove container ${id} as it could not be stopped: ${messageOf(error)}`;
    throw new EngineError("internal", text, { cause: error });
  }
}

/** The container's anonymous volumes that no other container mounts. */
function ownVolumes(context: Context, record: ContainerRecord): string[] {
  const isOthers = (name: string) => context.records.withVolume(name).some(({ id }) => id !== record.id);
  return anonymousVolumes(record.mounts).map(({ source }) => source).filter((name) => !isOthers(name));
}

function findContainer(context: Context, nameOrID: string, options: RemoveOptions): ContainerRecord | undefined {
  try {
    return context.records.resolve(nameOrID);
  } catch (error) {
    if (options.ignore && isCode(error, "no_such_container")) return undefined;
    throw error;
  }
}

function hasDependents(id: string, dependents: string[]): EngineError {
  const sentinel = "container already exists";
  const text = `container ${id} has dependent containers which must be removed before it: ${dependents.join(", ")}`;
  return new EngineError("in_use", `${text}: ${sentinel}`, { sentinel });
}
