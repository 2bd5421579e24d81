/** Starting containers again without anybody asking: by their policy, and after a boot. */
import type { ContainerRecord } from "../../records/container_record.ts";
import { type Context, emitEvent, withContainerLock } from "../context.ts";
import { requireHost } from "../../core.ts";
import { isCode } from "../failures.ts";
import { messageOf } from "../../../oci/message_of.ts";
import { startContainer, startDependencies, startLocked } from "./lifecycle.ts";
import { restartDelay, shouldStartOnBoot } from "./restart_policy.ts";
import { forgetRestart, isToRestart, noteRestart } from "./restart_wait.ts";

/**
 * Starts an ended container again once its time has come, if its policy says so. The rest of the wait counts from its end.
 * Returns whether it will be started.
 */
export function scheduleRestart(context: Context, ended: ContainerRecord): boolean {
  const isDue = isToRestart(context, ended);
  if (isDue) {
    noteRestart(context, ended);
    context.background(
      `restart ${ended.id}`,
      restartLater(context, ended).finally(() => forgetRestart(context, ended)),
    );
  } else forgetRestart(context, ended);
  return isDue;
}

async function restartLater(context: Context, ended: ContainerRecord): Promise<void> {
  const { id, state: { finishedAt } } = ended;
  const delay = restartDelay(ended);
  const rest = Math.min(delay, finishedAt + delay - context.core.clock.now());
  try {
    await context.core.clock.sleep(Math.max(0, rest), context.closing);
  } catch {
    // The engine closes; its next run takes this up.
    return;
  }
  const now = () => {
    const record = context.records.get(id);
    // A user may have started, stopped or removed it since.
    const isSame = record?.state.status === "exited" && record.state.finishedAt === finishedAt;
    return isSame && isToRestart(context, record) ? record : undefined;
  };
  if (now() === undefined) return;
  try {
    await startDependencies(context, id);
    await withContainerLock(context, id, async () => {
      const record = now();
      if (record === undefined) return;
      emitEvent(context, record, "restart");
      const restart = { restartCount: record.state.restartCount + 1, restartDelay: delay };
      await startLocked(context, record, { restart });
    });
  } catch (error) {
    if (isCode(error, "unchanged")) return;
    context.core.log("warn", `Restart container ${id} by its policy: ${messageOf(error)}`);
  }
}

/** The one row of its table: which boot of the host the engine has seen last. */
const BOOT = "boot";

/**
 * Starts the containers whose policy says so, where the host was booted since the engine last ran: also containers that were
 * stopped, or never started, before. Their starts go on in the background, behind the engine's own.
 */
export async function startAfterBoot(context: Context): Promise<void> {
  const { state } = context.core;
  const bootID = await requireHost(context.core).bootID();
  const table = state.table<{ id: string }>("host");
  const last = table.get(BOOT)?.id;
  if (bootID === undefined || last === bootID) return;
  await state.commit([table.put(BOOT, { id: bootID })]);
  if (last === undefined) return;
  for (const { id } of context.records.all().filter(isDue)) context.background(`start ${id} after a boot`, start(id));

  function start(id: string): Promise<void> {
    return startContainer(context, id).catch((error) => {
      if (!isCode(error, "unchanged")) throw error;
    });
  }
}

function isDue(record: ContainerRecord): boolean {
  const { status } = record.state;
  return (status === "created" || status === "exited") && shouldStartOnBoot(record);
}
