import type { ContainerRecord } from "../../records/container_record.ts";
import { requireHost } from "../../core.ts";
import type { Context } from "../context.ts";
import { watchExit } from "../life/wait_for_exit.ts";

/** Has the host send a container's log on, behind the caller, where its driver says so. */
export function forwardLog(context: Context, record: ContainerRecord): void {
  const { processes } = requireHost(context.core);
  if (record.spec.logDriver !== "syslog" || processes.forwardLog === undefined || context.closing.aborted) return;
  if (record.state.status === "created") return;
  const watch = watchExit(context, record.id);
  const { closing: signal } = context;
  const sent = processes.forwardLog(record, { followUntil: watch.ended.then(() => {}), signal });
  context.background(`forward the log of container ${record.id}`, sent.finally(() => watch[Symbol.dispose]()));
}
