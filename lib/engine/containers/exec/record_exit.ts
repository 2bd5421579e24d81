/** How exec sessions end. */
import type { ExecExit } from "../../ports/exec_port.ts";
import { type Context, emitEvent } from "../context.ts";
import { requireHost } from "../../core.ts";
import { isCode } from "../failures.ts";
import type { ExecSession } from "./session.ts";
import { messageOf } from "../../../oci/message_of.ts";

/** Resolves when the session has no process any more, and its record says so. */
export function waitForExecExit(context: Context, id: string): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const off = context.execEnds.on(id, () => {
    off();
    resolve();
  });
  if (context.sessions.get(id)?.status !== "running") context.execEnds.publish(id);
  return promise;
}

/** The end of a session's process, or of the attempt to start one. */
type SessionEnd = ExecExit & Pick<ExecSession, "isUnstarted">;

/** Records an end and tells of it. Ends that are known already are passed over. */
export async function recordExecExit(context: Context, id: string, end: SessionEnd): Promise<void> {
  const { code, time, isUnstarted } = end;
  const { sessions, core } = context;
  await core.locks.with(`exec:${id}`, async () => {
    const session = sessions.get(id);
    if (session?.status !== "running") return;
    const expired = sessions.dropExpired(core.clock.now(), session.containerID);
    const exited = { status: "exited", pid: 0, exitCode: code, finishedAt: time, isUnstarted } as const;
    await sessions.save({ ...session, ...exited }, expired);
    const record = context.records.get(session.containerID);
    // A container that was being removed took its sessions with it before this was saved.
    if (!record) return await sessions.drop(id);
    emitEvent(context, record, "exec_died", code, { execID: id });
  });
  context.execEnds.publish(id);
  await requireHost(context.core).processes.execs.delete(id);
}

/** Makes sessions and host agree after the engine was away. */
export async function recoverExecs(context: Context): Promise<void> {
  const { sessions } = context;
  const { execs } = requireHost(context.core).processes;
  for (const { id, containerID, status } of sessions.all()) {
    await recoverGuarded(context, id, async () => {
      if (!context.records.get(containerID)) return await sessions.drop(id);
      if (status !== "running") return;
      const state = await execs.state(id);
      if (state.status === "running") {
        const session = sessions.get(id);
        if (session && state.pid !== undefined) await sessions.save({ ...session, pid: state.pid });
        return;
      }
      await recordExecExit(context, id, state.exit ?? { code: -1, time: context.core.clock.now() });
    });
  }
  const isKnown = (id: string) => sessions.get(id)?.status === "running";
  for (const id of (await execs.list()).filter((id) => !isKnown(id))) {
    await recoverGuarded(context, id, () => execs.delete(id));
  }
}

async function recoverGuarded(context: Context, id: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (isCode(error, "unsupported")) return;
    context.core.log("error", `Recover exec session ${id}: ${messageOf(error)}`);
  }
}
