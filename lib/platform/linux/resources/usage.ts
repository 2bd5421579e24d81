/**
 * The resource usage of a container, from its cgroup and from /proc.
 *
 * @module
 */
import { readFile } from "node:fs/promises";
import { totalmem } from "node:os";
import { join } from "node:path";
import type { ContainerUsage, InterfaceUsage } from "../../../engine/ports/resource_port.ts";
import { readUsageV1 } from "./usage_v1.ts";
import { readUsageV2 } from "./usage_v2.ts";

/** Nanoseconds of a clock tick as the kernel tells user space of it (`USER_HZ` is 100 everywhere). */
const TICK = 10_000_000;

/** The part that a cgroup tells. */
export type CgroupUsage = Pick<ContainerUsage, "cpu" | "memory" | "pids" | "blockBytes" | "blockOperations">;

/** Folders from which the figures are read: recorded trees stand in for kernels that are not at hand. */
export interface UsagePlaces {
  /** Mount point of the v2 hierarchy, or the folder of those of v1. */
  cgroups: string;
  version: "v1" | "v2";
  proc: string;
}

/** A container as its figures need it. */
export interface UsageSubject {
  /** Its cgroup, below each hierarchy's mount point. */
  cgroup: string;
  pid: number;
  /** Whether its network is its own to be counted. */
  hasNetwork: boolean;
}

/** Reads what a container uses. `undefined` where it has ended. */
export async function readUsage(places: UsagePlaces, subject: UsageSubject): Promise<ContainerUsage | undefined> {
  const process = join(places.proc, String(subject.pid));
  const read = places.version === "v2" ? readUsageV2 : readUsageV1;
  const time = performance.timeOrigin + performance.now();
  const [group, systemCPU, status, devices] = await Promise.all([
    read(places.cgroups, subject.cgroup),
    readSystemCPU(places.proc),
    readText(join(process, "status")),
    subject.hasNetwork ? readText(join(process, "net/dev")) : undefined,
  ]);
  if (group === undefined || status === undefined) return undefined;
  const { memory, pids } = group;
  return {
    time,
    ...group,
    memory: { ...memory, limit: Math.min(memory.limit, totalmem()) },
    pids: { ...pids, limit: Number.isFinite(pids.limit) ? pids.limit : 0 },
    systemCPU,
    onlineCPUs: countOf(/^Cpus_allowed_list:\s*(.*)$/m.exec(status)?.[1] ?? ""),
    ...devices !== undefined && { networks: interfacesOf(devices) },
  };
}

async function readText(path: string): Promise<string | undefined> {
  // ESRCH: the process ends between the opening and the reading.
  return await readFile(path, "utf8").catch(() => undefined);
}

/** All that the processors did, idling included: the first line of proc_stat(5) without guests, who count as users. */
async function readSystemCPU(proc: string): Promise<number> {
  const line = (await readFile(join(proc, "stat"), "utf8")).split("\n", 1)[0]!;
  return line.split(/\s+/).slice(1, 9).reduce((sum, ticks) => sum + Number(ticks), 0) * TICK;
}

/** How many numbers a list such as `0-3,8` holds. */
function countOf(list: string): number {
  return list.split(",").filter((part) => part !== "").reduce((sum, part) => {
    const [first, last = first] = part.split("-").map(Number);
    return sum + (last! - first!) + 1;
  }, 0);
}

/** Two lines of titles, then `name: ` and sixteen figures: received first, sent from the ninth. */
function interfacesOf(devices: string): Record<string, InterfaceUsage> {
  const found: Record<string, InterfaceUsage> = {};
  for (const line of devices.split("\n").slice(2)) {
    const colon = line.indexOf(":");
    const name = line.slice(0, colon).trim();
    if (colon < 0 || name === "lo") continue;
    const figures = line.slice(colon + 1).trim().split(/\s+/).map(Number);
    const [rxBytes = 0, rxPackets = 0, rxErrors = 0, rxDropped = 0] = figures;
    const [txBytes = 0, txPackets = 0, txErrors = 0, txDropped = 0] = figures.slice(8);
    found[name] = { rxBytes, rxPackets, rxErrors, rxDropped, txBytes, txPackets, txErrors, txDropped };
  }
  return found;
}
