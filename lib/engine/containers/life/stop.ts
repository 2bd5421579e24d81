import { EngineError } from "../../errors.ts";
import { parseSignal, SIGKILL } from "../../text/signals.ts";
import { type Context, emitEvent, withContainerLock } from "../context.ts";
import { requireHost } from "../../core.ts";
import { exitsWithin, type ExitWatch, watchExit } from "./wait_for_exit.ts";
import { alreadySo, improperState, isCode, noSuchContainer } from "../failures.ts";
import { messageOf } from "../../../oci/message_of.ts";
import type { ContainerRecord } from "../../records/container_record.ts";
import { runPreStop } from "./hooks.ts";
import { onProcess } from "./on_process.ts";
import { awaitsRestart, cancelRestart } from "./restart_wait.ts";
import type { KillOptions, StopOptions } from "../options.ts";

/** How long the kernel gets to end what was killed; a process may hang in a system call. */
const KILL_WAIT_MS = 30_000;
/** How long clients may read the last output of a container that was killed. */
const READ_WAIT_MS = 5_000;

/** The rest of a stop, once the lock is released. */
interface Stopping {
  signal: number;
  timeoutMs: number;
  watch: ExitWatch;
  /** The processes stand still, and cannot end. */
  isFrozen: boolean;
  /** The record of a container that runs, whose hook comes before the signal. */
  hooked?: ContainerRecord;
}

/**
 * Stops a container: its stop signal, then SIGKILL. The lock is held only while the record changes, so that others can
 * look, kill or stop while this one waits. A container that was never started has nothing to stop.
 */
export async function stopContainer(context: Context, nameOrID: string, options: StopOptions = {}): Promise<void> {
  requireHost(context.core);
  const { id } = context.records.resolve(nameOrID);
  const asked = options.signal ? parseSignal(options.signal) : undefined;
  const stopping = await withContainerLock(context, id, () => beginStop(context, id, { ...options, signal: asked }));
  if (!stopping) return;
  const { watch, signal, isFrozen, hooked } = stopping;
  using _watch = watch;
  const timeoutMs = hooked ? await runPreStop(context, hooked, stopping.timeoutMs, watch) : stopping.timeoutMs;
  await sendSignal(context, id, timeoutMs > 0 ? signal : SIGKILL, watch);
  if (isFrozen) await requireHost(context.core).processes.resume(id).catch(() => {});
  if (timeoutMs > 0 && !await exitsWithin(context, watch.ended, timeoutMs)) {
    context.core.log("warn", `Stop container ${id}: it did not end in ${timeoutMs / 1000} seconds, so it is killed`);
    await sendSignal(context, id, SIGKILL, watch);
  }
  await requireEnd(context, id, watch);
  // Its clean-up, or removal, runs under the lock: who sees the answer sees all of it done.
  await withContainerLock(context, id, () => {});
}

/** Sends a signal. After SIGKILL it waits for the end. */
export async function killContainer(
  context: Context,
  nameOrID: string,
  options: KillOptions = {},
): Promise<void> {
  requireHost(context.core);
  const signal = parseSignal(options.signal ?? SIGKILL);
  const { id } = context.records.resolve(nameOrID);
  using watch = await withContainerLock(context, id, async () => {
    const record = context.records.require(id);
    const { status } = record.state;
    if (options.restartingRuns && awaitsRestart(context, record)) {
      await cancelRestart(context, record);
      emitEvent(context, record, "kill", undefined, { signal: String(signal) });
      return undefined;
    }
    const detail = (state: string) => `can only kill running containers. ${id} is in state ${state}`;
    if (status !== "running" && status !== "stopping" && status !== "paused") throw improperState(detail(status));
    await onProcess(context, id, detail("exited"), () => requireHost(context.core).processes.kill(id, signal));
    // A frozen process cannot die.
    if (signal === SIGKILL && status === "paused") await requireHost(context.core).processes.resume(id).catch(() => {});
    if (!record.state.stoppedByUser) await context.records.saveState(record, { stoppedByUser: true });
    emitEvent(context, record, "kill", undefined, { signal: String(signal) });
    if (signal === SIGKILL) context.dying.add(id);
    // Its end is recorded under this lock: it cannot be missed.
    return watchExit(context, id);
  });
  if (signal !== SIGKILL || !watch) return;
  try {
    await requireEnd(context, id, watch);
  } finally {
    context.dying.delete(id);
  }
}

async function beginStop(
  context: Context,
  id: string,
  options: { timeout?: number; signal?: number; thaw?: boolean; forShutdown?: boolean },
): Promise<Stopping | undefined> {
  const record = context.records.get(id);
  if (!record) throw noSuchContainer(id);
  const { status } = record.state;
  if (status === "created") return undefined;
  if (status === "exited") {
    // A restart may be on its way.
    await cancelRestart(context, record);
    throw alreadySo(record, "container is stopped");
  }
  const isFrozen = status === "paused";
  if (isFrozen && !options.thaw || status === "removing") {
    throw improperState(`can only stop created or running containers. ${id} is in state ${status}`);
  }
  const watch = watchExit(context, id);
  if (status !== "stopping") {
    const stopped = { status: "stopping", stoppedByUser: true } as const;
    await context.records.saveState(record, options.forShutdown ? { ...stopped, stoppedForShutdown: true } : stopped);
  }
  // A second stop does not run it again.
  const hooked = status === "running" ? record : undefined;
  // Before its start a process has no handler for anything: only SIGKILL ends it.
  const signal = status === "initialized" ? SIGKILL : options.signal ?? record.stopSignal;
  return { signal, timeoutMs: (options.timeout ?? record.stopTimeout) * 1000, watch, isFrozen, hooked };
}

async function sendSignal(context: Context, id: string, signal: number, watch: ExitWatch): Promise<void> {
  const record = context.records.get(id);
  // Before the signal: the end that follows it may be there at once.
  if (record?.state.status === "stopping") {
    emitEvent(context, record, "kill", undefined, { signal: String(signal) }, { notFor: "podman" });
  }
  try {
    await requireHost(context.core).processes.kill(id, signal);
  } catch (error) {
    // It may have ended by itself just now; then its end is on the way.
    if (await exitsWithin(context, watch.ended, 1000)) return;
    const { status } = await requireHost(context.core).processes.state(id);
    if (status === "stopped" || status === "missing") return;
    await withContainerLock(context, id, async () => {
      const record = context.records.get(id);
      if (record?.state.status !== "stopping") return;
      context.health.watch(context, await context.records.saveState(record, { status: "running" }));
    });
    throw new EngineError("internal", `Stop container ${id}: ${messageOf(error)}`, { cause: error });
  }
}

async function requireEnd(context: Context, id: string, watch: ExitWatch): Promise<void> {
  // Clients that read what the process wrote last get a while for it.
  if (await exitsWithin(context, watch.ended, READ_WAIT_MS)) return;
  requireHost(context.core).processes.cutAttachments(id);
  if (await exitsWithin(context, watch.ended, KILL_WAIT_MS)) return;
  throw new EngineError("timeout", `container ${id} did not die within ${KILL_WAIT_MS / 1000} seconds of SIGKILL`);
}

/** Whether a stop failed only because there was nothing to stop. */
export function hadEnded(error: unknown): boolean {
  return isCode(error, "unchanged", "no_such_container");
}
