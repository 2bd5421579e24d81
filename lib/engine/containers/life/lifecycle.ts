import type { ContainerRecord } from "../../records/container_record.ts";
import { bringUp, type BringUpOptions, giveUp } from "./bring_up.ts";
import { type Context, emitEvent, withContainerLock } from "../context.ts";
import { emitNetworks } from "../networks/network_events.ts";
import { requireHost } from "../../core.ts";
import { dependenciesOf } from "../dependencies.ts";
import { alreadySo, improperState, isCode, noCgroup } from "../failures.ts";
import { runPostStart } from "./hooks.ts";
import { freezeProcesses, onProcess } from "./on_process.ts";
import type { RestartOptions } from "../options.ts";
import { stopContainer } from "./stop.ts";
import { freshHealth, resetHealth } from "../health/begin_health.ts";

/** Makes the container's process without starting it; the infra container of its pod is started before it. */
export async function initContainer(context: Context, nameOrID: string): Promise<void> {
  requireHost(context.core);
  const { id } = context.records.resolve(nameOrID);
  await startForPod(context, id);
  await withContainerLock(context, id, async () => {
    const record = context.records.require(id);
    const { status } = record.state;
    if (status !== "created" && status !== "exited") {
      const already = "has already been created in runtime: container state improper";
      throw alreadySo(record, already);
    }
    requireDependencies(context, record);
    await bringUp(context, record);
  });
}

/** Starts the container, and before it those whose namespaces it joins. */
export async function startContainer(context: Context, nameOrID: string): Promise<void> {
  requireHost(context.core);
  const { id } = context.records.resolve(nameOrID);
  await startDependencies(context, id);
  await withContainerLock(context, id, () => startLocked(context, context.records.require(id)));
}

/** The part of a start that needs the container's lock. */
export async function startLocked(
  context: Context,
  record: ContainerRecord,
  options: Pick<BringUpOptions, "restart"> = {},
): Promise<void> {
  const { id, state: { status } } = record;
  if (status === "running") throw alreadySo(record, "container is running");
  if (status !== "created" && status !== "exited" && status !== "initialized") {
    throw improperState(`container ${id} must be in Created or Stopped state to be started`);
  }
  context.warm.requireTaken(record);
  requireDependencies(context, record);
  const up = status === "initialized" ? record : await bringUp(context, record, options);
  // Taken first: the process may write before its start has answered, and clients ask for what was logged since.
  const startedAt = context.core.clock.now();
  try {
    await requireHost(context.core).processes.start(id);
  } catch (error) {
    await giveUp(context, up, error);
    throw error;
  }
  const started = { status: "running", startedAt, stoppedByUser: false, stoppedForShutdown: undefined } as const;
  const running = await context.records.saveState(up, started, freshHealth(context, up, "starting"));
  emitNetworks(context, running, "connect");
  emitEvent(context, running, "start");
  context.health.watch(context, running, true);
  runPostStart(context, running);
}

/** Stops the container where it runs, and starts it. It comes back even if it is to be removed at its end. */
export async function restartContainer(
  context: Context,
  nameOrID: string,
  { tellsAfter = false, ...options }: RestartOptions = {},
): Promise<void> {
  requireHost(context.core);
  const { id } = context.records.resolve(nameOrID);
  const { state: { status } } = context.records.require(id);
  const isFrozen = status === "paused";
  if (isFrozen && !options.thaw || status === "stopping" || status === "removing") {
    throw improperState("unable to restart a container in a paused or unknown state");
  }
  if (!tellsAfter) emitEvent(context, context.records.require(id), "restart");
  context.restarting.add(id);
  try {
    if (status === "running" || isFrozen) await ignoreUnchanged(stopContainer(context, id, options));
    await ignoreUnchanged(startContainer(context, id));
    const started = tellsAfter ? context.records.get(id) : undefined;
    if (started !== undefined) emitEvent(context, started, "restart");
  } finally {
    context.restarting.delete(id);
  }
}

/** Freezes the container's processes. */
export function pauseContainer(context: Context, nameOrID: string): Promise<void> {
  requireHost(context.core);
  const { id } = context.records.resolve(nameOrID);
  return withContainerLock(context, id, async () => {
    const record = context.records.require(id);
    const { status } = record.state;
    if (record.spec.cgroupsMode === "disabled") throw noCgroup("cannot pause without using Cgroups");
    if (status === "paused") throw improperState(`"${id}" is already paused`);
    const detail = (state: string) => `"${state}" is not running, can't pause`;
    if (status !== "running") throw improperState(detail(status));
    await freezeProcesses(context, id, detail("exited"));
    context.health.forget(id);
    emitEvent(context, await context.records.saveState(record, { status: "paused" }), "pause");
  });
}

/** Lets them go on. */
export function unpauseContainer(context: Context, nameOrID: string): Promise<void> {
  requireHost(context.core);
  const { id } = context.records.resolve(nameOrID);
  return withContainerLock(context, id, async () => {
    const record = context.records.require(id);
    const detail = `"${id}" is not paused, can't unpause`;
    if (record.state.status !== "paused") throw improperState(detail);
    await onProcess(context, id, detail, () => requireHost(context.core).processes.resume(id));
    const running = await context.records.saveState(record, { status: "running" }, resetHealth(context, record));
    emitEvent(context, running, "unpause");
    context.health.watch(context, running, true);
  });
}

/** Starts what a container of a pod needs before its process is made, where it has none yet. */
export async function startForPod(context: Context, id: string): Promise<void> {
  const { spec, state: { status } } = context.records.require(id);
  if (spec.pod !== undefined && (status === "created" || status === "exited")) await startDependencies(context, id);
}

/** Starts the containers this one needs, where they do not run. */
export async function startDependencies(context: Context, id: string): Promise<void> {
  // A container can only join one that was there before it: there are no circles.
  for (const dependency of dependenciesOf(context.records.require(id))) {
    const { status } = context.records.require(dependency).state;
    if (status !== "running") await ignoreUnchanged(startContainer(context, dependency));
  }
}

/** Throws `state` unless what it joins runs. */
export function requireDependencies(context: Context, record: ContainerRecord): void {
  const isDown = (id: string) => context.records.require(id).state.status !== "running";
  const down = dependenciesOf(record).filter(isDown);
  if (down.length === 0) return;
  throw improperState(`some dependencies of container ${record.id} are not started: ${down.join(",")}`);
}

/** Ignores the failure `unchanged`: the work was done before. */
async function ignoreUnchanged(work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!isCode(error, "unchanged")) throw error;
  }
}
