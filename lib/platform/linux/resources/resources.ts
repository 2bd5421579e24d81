import { readlink } from "node:fs/promises";
import type { ContainerRecord } from "../../../engine/container_record.ts";
import type { ContainerUsage, Resources } from "../../../engine/resource_port.ts";
import type { HostContext } from "../context.ts";
import { containerPaths } from "../paths.ts";
import { readCgroupLayout } from "../processes/cgroups.ts";
import { readFacts } from "../processes/facts.ts";
import { isAlive } from "../processes/proc.ts";
import { readUsage, type UsagePlaces } from "./usage.ts";

const CGROUPS = "/sys/fs/cgroup";

/** Opens the port `Resources` on this machine. */
export async function openResources(context: HostContext): Promise<Resources> {
  const { kind } = await readCgroupLayout();
  const places: UsagePlaces = { cgroups: CGROUPS, version: kind === "unified" ? "v2" : "v1", proc: "/proc" };
  return {
    usage: (record) => usageOf(context, places, record),
  };
}

async function usageOf(
  { paths }: HostContext,
  places: UsagePlaces,
  { id }: ContainerRecord,
): Promise<ContainerUsage | undefined> {
  const facts = readFacts(containerPaths(paths, id).facts);
  if (facts === undefined || !isAlive(facts.container)) return undefined;
  const { cgroup, container: { pid } } = facts;
  const hasNetwork = await networkOf(pid) !== await networkOf("self");
  return await readUsage(places, { cgroup, pid, hasNetwork });
}

/** Which network namespace a process is in. */
async function networkOf(pid: number | "self"): Promise<string> {
  return await readlink(`/proc/${pid}/ns/net`).catch(() => "");
}
