/** Containers that have ended and wait for their restart. */
import type { ContainerRecord } from "../../records/container_record.ts";
import type { Context } from "../context.ts";
import { shouldRestart } from "./restart_policy.ts";

/** Notes that an ended container waits for its restart, if its policy says so: in the step in which it is seen to have ended. */
export function noteRestart(context: Context, ended: ContainerRecord): void {
  if (!isToRestart(context, ended) || ended.spec.remove || context.restarting.has(ended.id)) return;
  context.awaitingRestart.set(ended.id, ended.state.finishedAt);
  context.core.state.touch();
}

/** The opposite of {@linkcode noteRestart}. Tells who waits for the container: one that was not started stays ended. */
export function forgetRestart(context: Context, { id, state }: ContainerRecord): void {
  const { awaitingRestart, changes, core, records } = context;
  if (awaitingRestart.get(id) !== state.finishedAt) return;
  awaitingRestart.delete(id);
  core.state.touch();
  const record = records.get(id);
  // The next server starts what this one's end left waiting.
  if (record !== undefined && !context.closing.aborted) changes.publish(id, { record });
}

/** Whether a container has ended and waits for its restart, or is on its way up by it. */
export function awaitsRestart(context: Context, record: ContainerRecord): boolean {
  const { id, state: { status, finishedAt, restartCount } } = record;
  if (context.awaitingRestart.get(id) !== finishedAt) return false;
  // One that a user has initialized meanwhile counts no restart.
  if (status === "initialized") return restartCount > 0;
  return status === "exited" && isToRestart(context, record);
}

/** By its policy, or because it was stopped for being unhealthy. */
export function isToRestart({ health }: Context, record: ContainerRecord): boolean {
  return health.states.get(record.id)?.restart === true || shouldRestart(record);
}

/** A user wants an ended container to stay so: neither its policy nor its health starts it again. */
export async function cancelRestart(context: Context, record: ContainerRecord): Promise<void> {
  const { health: { states }, records } = context;
  const health = states.get(record.id);
  const operations = health?.restart === true ? [states.put(record.id, { ...health, restart: false })] : [];
  if (record.state.stoppedByUser && operations.length === 0) return;
  await records.saveState(record, { stoppedByUser: true }, operations);
}
