/** Reads the processes of a pod's containers, and their use of resources. */
import type { Containers } from "../containers/containers.ts";
import type { ContainerStats } from "../containers/stats.ts";
import type { ProcessTable } from "../ports/host_port.ts";
import type { ContainerRecord } from "../records/container_record.ts";
import { ignoreCodes } from "./ignore_codes.ts";

/** Lists the processes of the containers that run, in one table. */
export async function listProcesses(
  containers: Pick<Containers, "top">,
  members: readonly ContainerRecord[],
  args: readonly string[],
): Promise<ProcessTable> {
  const tables: ProcessTable[] = [];
  for (const { id, state } of members) if (state.status === "running") tables.push(await containers.top(id, args));
  return { titles: tables[0]?.titles ?? [], rows: tables.flatMap(({ rows }) => rows) };
}

/**
 * Reads what the containers use that run; their shares of processor time count from `previous`. One without a control group, as those of an
 * ordinary user may be, has no usage.
 */
export async function readUsage(
  containers: Pick<Containers, "stats">,
  members: readonly ContainerRecord[],
  previous: ReadonlyMap<string, ContainerStats>,
): Promise<ContainerStats[]> {
  const live = members.filter(({ state: { status }, spec }) => {
    return (status === "running" || status === "paused") && spec.cgroupsMode !== "disabled";
  });
  const looks = await Promise.all(live.map(({ id }) => {
    // A container may go while the others are looked at.
    return ignoreCodes(["no_such_container"], containers.stats(id, previous.get(id)));
  }));
  return looks.filter((look) => look !== undefined);
}
