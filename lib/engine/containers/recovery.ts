/**
 * Making records and host agree again after the engine was away: what was cut short is finished or undone, containers that
 * still run go on, those that ended meanwhile end here too, and what nobody knows is cleaned away.
 *
 * @module
 */
import type { ContainerRecord } from "../records/container_record.ts";
import { inParallel } from "../concurrency.ts";
import { START_INTENT, undoBringUp } from "./life/bring_up.ts";
import { cleanUp } from "./life/clean_up.ts";
import { type Context, emitEvent, isLive, withContainerLock } from "./context.ts";
import { emitNetworks } from "./networks/network_events.ts";
import { requireHost } from "../core.ts";
import { CREATE_INTENT, undoCreate } from "./create/create.ts";
import { volumesOf } from "./create/mounts.ts";
import { recordExit } from "./life/record_exit.ts";
import { messageOf } from "../../oci/message_of.ts";
import { endPause, PAUSE_INTENT } from "./files/pause_for_work.ts";
import { adoptNetwork } from "./life/network.ts";
import { ATTACHMENT_INTENT, recoverAttachment } from "./networks/connect.ts";
import { withState } from "./records.ts";
import { REMOVE_INTENT, removeLocked } from "./remove.ts";
import { scheduleRestart, startAfterBoot } from "./life/restarts.ts";
import { TEARDOWN_INTENT } from "./life/teardowns.ts";
import type { ProcessState } from "../ports/host_port.ts";
import { forwardLog } from "./streams/forward_log.ts";
import { freshHealth } from "./health/begin_health.ts";

/** How many containers are looked at together. */
const AT_ONCE = 8;
/** The exit code of a container whose end nobody saw. */
const LOST = -1;

/** Reconciles every container. One that cannot be is logged and left as it is. */
export async function recoverContainers(context: Context): Promise<void> {
  const { intents } = context.core;
  // First of all, so that nobody is given an address or a port that is in use.
  for (const record of context.records.all().filter(isLive)) {
    adoptNetwork(context, record);
    for (const { source } of volumesOf(record.mounts)) context.volumes.adopt(source, record.id);
  }
  for (const intent of intents.open(CREATE_INTENT)) {
    await logFailures(context, intent.subject, () => undoCreate(context, intent));
  }
  await logFailures(context, "", () => context.volumes.recover());
  await logFailures(context, "", () => context.volumes.relocate());
  await logFailures(context, "", () => relocateLogs(context));
  await logFailures(context, "", () => context.networks.recover());
  await inParallel(intents.open(TEARDOWN_INTENT), AT_ONCE, (intent) => {
    return logFailures(context, intent.subject, () => context.teardowns.resume(intent));
  });
  for (const intent of intents.open(ATTACHMENT_INTENT)) {
    await logFailures(context, intent.subject, () => recoverAttachment(context, intent));
  }
  await logFailures(context, "", () => context.treeUses.recover());
  const held = await heldByHost(context);
  await inParallel(context.records.all(), AT_ONCE, ({ id }) => {
    return logFailures(context, id, () => withContainerLock(context, id, () => reconcileContainer(context, id, held)));
  });
  await inParallel(intents.open(PAUSE_INTENT), AT_ONCE, (intent) => {
    return logFailures(context, intent.subject, () => endPause(context, intent));
  });
  await inParallel([...held.all].filter((id) => !context.records.get(id)), AT_ONCE, (id) => {
    return logFailures(context, id, () => sweepUnknown(context, id));
  });
  await logFailures(context, "", () => context.warm.recover(context));
  await logFailures(context, "", () => context.volumes.unmountUnused());
  for (const { id } of context.records.all()) {
    // Also of those that have ended: their last lines may not have been sent.
    await logFailures(context, id, () => Promise.resolve(forwardLog(context, context.records.resolve(id))));
  }
  await logFailures(context, "", () => startAfterBoot(context));
}

/** IDs of the containers the host holds something of. */
interface Held {
  processes: Set<string>;
  namespaces: Set<string>;
  layers: Set<string>;
  all: Set<string>;
}

async function heldByHost(context: Context): Promise<Held> {
  const { processes, networks, layers } = requireHost(context.core);
  const lists = await Promise.all([processes.list(), networks.list(), layers.containers()]);
  const [first, second, third] = lists.map((ids) => new Set(ids));
  return { processes: first, namespaces: second, layers: third, all: new Set(lists.flat()) };
}

async function reconcileContainer(context: Context, id: string, held: Held): Promise<void> {
  const record = context.records.get(id);
  if (!record) return;
  const { status } = record.state;
  if (status === "removing") {
    await cleanUp(context, record);
    await context.teardowns.settled(id);
    const wishes = context.core.intents.open(REMOVE_INTENT).filter(({ subject }) => subject === id);
    const volumes = wishes.some(({ details }) => details.volumes === "true");
    return await removeLocked(context, record, { volumes, behind: true });
  }
  if (!isLive(record)) return await reconcileEnded(context, record, held);
  const state = await requireHost(context.core).processes.state(id);
  if (state.status === "created" || state.status === "running" || state.status === "paused") {
    return await adoptProcess(context, record, state);
  }
  if (status === "initialized" && !state.exit) return await backToCreated(context, record);
  const lost = { code: LOST, time: context.core.clock.now(), oomKilled: false };
  const error = state.exit ? "" : "the container's end was not seen: its exit code is lost";
  await recordExit(context, record, state.exit ?? lost, error);
}

/** A container that has no process, as its record says, must have none on the host. */
async function reconcileEnded(context: Context, record: ContainerRecord, held: Held): Promise<void> {
  const { core } = context;
  const begun = core.intents.open(START_INTENT).filter(({ subject }) => subject === record.id);
  if (begun.length > 0 || held.processes.has(record.id) || held.namespaces.has(record.id)) {
    await undoBringUp(context, record);
  } else {
    // An end that was recorded just before a crash left the tree mounted.
    await context.treeUses.unmount(record);
  }
  await core.state.commit(begun.map((intent) => core.intents.end(intent)));
  if (record.state.status !== "exited") return;
  if (record.spec.remove) await removeLocked(context, record, { volumes: true, behind: true });
  else scheduleRestart(context, record);
}

/** Takes up a container that still has its process, as the host sees it. */
async function adoptProcess(context: Context, record: ContainerRecord, state: ProcessState): Promise<void> {
  const { pid = record.state.pid, conmonPid = record.state.conmonPid } = state;
  if (state.status === "created") {
    if (record.state.status === "initialized") return;
    // Neither started nor ended: nothing of it can be gone on with.
    return await backToCreated(context, record);
  }
  const status = state.status === "paused" ? "paused" : "running";
  const hasStarted = record.state.status === "initialized";
  if (record.state.status === status && record.state.pid === pid) return context.health.watch(context, record);
  // A stop that was under way has lost its caller: the container is as it was before.
  const startedAt = hasStarted ? state.startedAt ?? context.core.clock.now() : record.state.startedAt;
  const next = withState(record, { status, pid, conmonPid, startedAt });
  await context.records.save(next, hasStarted ? freshHealth(context, next, "starting") : []);
  if (hasStarted) {
    emitNetworks(context, next, "connect");
    emitEvent(context, next, "start");
  }
  context.health.watch(context, next, hasStarted);
}

async function backToCreated(context: Context, record: ContainerRecord): Promise<void> {
  await undoBringUp(context, record);
  const status = record.state.startedAt === 0 ? "created" : "exited";
  await context.records.saveState(record, { status, pid: 0, conmonPid: 0, network: undefined });
}

/** Puts the places that logs have now into the records of containers: the root may have been copied elsewhere. */
async function relocateLogs(context: Context): Promise<void> {
  const host = requireHost(context.core);
  for (const record of context.records.all()) {
    const { log } = record;
    if (log.driver !== "k8s-file" || log.kept) continue;
    const { path } = host.logSource(record.id, log.driver);
    if (path !== log.path) await context.records.save({ ...record, log: { ...log, path } });
  }
}

/** Cleans away what belongs to a container nobody knows. */
async function sweepUnknown(context: Context, id: string): Promise<void> {
  const host = requireHost(context.core);
  context.core.log("warn", `Clean up what is left of container ${id}, which is not known here`);
  await host.processes.delete(id);
  await Promise.all([host.networks.deleteNamespace(id), host.layers.destroy(id, { behind: true })]);
  await host.processes.deleteLog({ ...host.logSource(id, "k8s-file"), older: { files: 2, gzip: false } });
}

async function logFailures(context: Context, id: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    context.core.log("error", `Recover ${id ? `container ${id}` : "the host"}: ${messageOf(error)}`);
  }
}
