import type { ContainerRecord } from "../../records/container_record.ts";
import type { Context } from "../context.ts";
import { requireHost } from "../../core.ts";
import { messageOf } from "../../../oci/message_of.ts";

/** Gives the host back what an ended container held. The network follows behind; what fails is left to recovery. */
export async function cleanUp(context: Context, record: ContainerRecord): Promise<void> {
  const host = requireHost(context.core);
  const gone = host.processes.delete(record.id);
  context.background(`take down the network of ${record.id}`, context.teardowns.begin(record, gone));
  const work = [gone, context.treeUses.unmount(record)];
  for (const result of await Promise.allSettled(work)) {
    if (result.status === "fulfilled") continue;
    context.core.log("warn", `Clean up container ${record.id}: ${messageOf(result.reason)}`);
  }
}
