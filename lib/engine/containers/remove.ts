import type { ContainerRecord } from "../container_record.ts";
import { EngineError } from "../errors.ts";
import { SIGKILL } from "../signals.ts";
import { cleanUp } from "./clean_up.ts";
import { type Context, emit, hostOf, isLive, locked } from "./context.ts";
import { dependentsOf } from "./dependencies.ts";
import { improperState, isCode, textOf } from "./failures.ts";
import { volumesOf } from "./mounts.ts";
import type { RemoveOptions, RemoveReport } from "./options.ts";
import { hadEnded, stopContainer } from "./stop.ts";

/** How often a forced removal stops a container that others keep starting. */
const TRIES = 5;

/** Removes a container, and those that depend on it when asked. */
export async function removeContainer(
  context: Context,
  nameOrID: string,
  options: RemoveOptions = {},
): Promise<RemoveReport[]> {
  hostOf(context);
  const found = find(context, nameOrID, options);
  if (!found) return [];
  const reports: RemoveReport[] = [];
  for (const dependent of dependentsOf(found.id, context.records.all())) {
    if (!options.depend) throw hasDependents(found.id, dependentsOf(found.id, context.records.all()));
    reports.push(...await removeContainer(context, dependent, { ...options, ignore: true }));
  }
  await removeOne(context, found.id, options);
  return [...reports, { id: found.id }];
}

/** Removes a container that has no process. The caller holds the lock. */
export async function removeLocked(
  context: Context,
  record: ContainerRecord,
  options: { volumes?: boolean } = {},
): Promise<void> {
  const host = hostOf(context);
  if (isLive(record)) await cleanUp(context, record);
  const removing = await context.records.saveState(record, { status: "removing" });
  await Promise.all([host.layers.destroy(record.id), host.processes.deleteLog(record.log)]);
  const teardown = context.teardowns.handOver(record.id);
  await context.records.drop(removing, teardown.operations);
  context.background(`take down the network of ${record.id}`, teardown.after());
  emit(context, record, "remove", record.state.exitCode);
  if (options.volumes) await removeVolumes(context, record);
}

async function removeOne(context: Context, id: string, options: RemoveOptions): Promise<void> {
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const step = await locked(context, id, () => nextStep(context, id, options));
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
  const { processes } = hostOf(context);
  await processes.kill(id, SIGKILL);
  await processes.resume(id).catch(() => {});
  await context.records.saveState(record, { status: "stopping", stoppedByUser: true });
  return "stop";
}

async function stopForRemoval(context: Context, id: string, options: RemoveOptions): Promise<void> {
  try {
    await stopContainer(context, id, { timeout: options.timeout });
  } catch (error) {
    if (hadEnded(error) || isCode(error, "state")) return;
    const text = `cannot remove container ${id} as it could not be stopped: ${textOf(error)}`;
    throw new EngineError("internal", text, { cause: error });
  }
}

async function removeVolumes(context: Context, record: ContainerRecord): Promise<void> {
  const inUse = (name: string) =>
    context.records.all().some(({ mounts }) => volumesOf(mounts).some(({ source }) => source === name));
  for (const { source, anonymous } of volumesOf(record.mounts)) {
    if (!anonymous || inUse(source)) continue;
    await context.volumes.remove(source).catch((error) => {
      context.core.log("error", `Remove volume ${source}: ${textOf(error)}`);
    });
  }
}

function find(context: Context, nameOrID: string, options: RemoveOptions): ContainerRecord | undefined {
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
