/** Handles the exit of a container's process. */
import type { ContainerRecord, ExitStatus } from "../../records/container_record.ts";
import { cleanUp } from "./clean_up.ts";
import { type Context, emitEvent, isLive, withContainerLock } from "../context.ts";
import { emitNetworks } from "../networks/network_events.ts";
import { isCode } from "../failures.ts";
import { messageOf } from "../../../oci/message_of.ts";
import { leavePod } from "../../pods/exit_policy.ts";
import { withState } from "../records.ts";
import { removeLocked } from "../remove.ts";
import { forgetRestart, noteRestart } from "./restart_wait.ts";
import { scheduleRestart } from "./restarts.ts";

/** How long an end that could not be recorded waits for the next try. */
const RETRY_MS = 2_000;

/**
 * Handles an end the host tells of. Ends that are known already are passed over. One that cannot be recorded, because the
 * disk is full, say, is tried again: nobody else would ever learn of it.
 */
export async function onExit(context: Context, id: string, exit: ExitStatus): Promise<void> {
  for (;;) {
    try {
      return await withContainerLock(context, id, async () => {
        const record = context.records.get(id);
        if (!record || !isLive(record)) return;
        await recordExit(context, record, exit);
      });
    } catch (error) {
      const record = context.records.get(id);
      if (!record || !isLive(record)) throw error;
      context.core.log("error", `Record the end of container ${id}: ${messageOf(error)}`);
    }
    try {
      await context.core.clock.sleep(RETRY_MS, context.closing);
    } catch {
      // The engine closes; its next run finds the end.
      return;
    }
  }
}

/**
 * Records an end and tells of it; then, with every waiter answered, cleans up. The caller holds the lock, so that nobody
 * starts or removes the container in between.
 */
export async function recordExit(
  context: Context,
  record: ContainerRecord,
  exit: ExitStatus,
  error = "",
): Promise<void> {
  const { code: exitCode, time: finishedAt, oomKilled } = exit;
  const ended = withState(record, {
    status: "exited",
    pid: 0,
    conmonPid: 0,
    exitCode,
    finishedAt,
    oomKilled,
    error,
    network: undefined,
  });
  context.health.forget(record.id);
  noteRestart(context, ended);
  try {
    await context.records.save(ended, [], { exit });
    await finishEnd(context, record, ended);
  } catch (error) {
    forgetRestart(context, ended);
    throw error;
  }
}

/** Tells of an end that is recorded, cleans up, and goes on as the container wants. */
async function finishEnd(context: Context, record: ContainerRecord, ended: ContainerRecord): Promise<void> {
  const { status } = record.state;
  const stop = (notFor: "docker" | "podman") => {
    if (status === "stopping") emitEvent(context, record, "stop", undefined, {}, { notFor });
  };
  if (status !== "initialized") emitNetworks(context, record, "disconnect");
  // Podman has stopped it, and then it has ended; with Docker it ends, and then it is stopped.
  stop("docker");
  emitEvent(context, ended, "died", ended.state.exitCode);
  stop("podman");
  await cleanUp(context, ended);
  emitEvent(context, ended, "cleanup");
  if (context.restarting.has(record.id)) return;
  if (ended.spec.remove) await autoRemove(context, ended);
  else if (scheduleRestart(context, ended)) return;
  leavePod(context, ended);
}

async function autoRemove(context: Context, record: ContainerRecord): Promise<void> {
  try {
    await removeLocked(context, record, { volumes: true });
    if (record.spec.removeImage) await removeItsImage(context, record);
  } catch (error) {
    context.core.log("error", `Remove container ${record.id} at its end: ${messageOf(error)}`);
  }
}

/** The image of a container that is gone, under the name it was made by, unless others use it. */
async function removeItsImage({ core }: Context, { imageID, imageName }: ContainerRecord): Promise<void> {
  try {
    if (core.images.resolve(imageName).id === imageID) await core.images.remove(imageName);
  } catch (error) {
    if (!isCode(error, "in_use", "no_such_image")) throw error;
  }
}
