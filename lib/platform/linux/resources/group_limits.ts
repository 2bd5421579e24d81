/**
 * Limits of a control group that the engine makes itself, for a pod: the runtime sets those of containers only.
 *
 * @module
 */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { EngineError } from "../../../engine/errors.ts";
import type { Limits, Throttle } from "../../../engine/records/limits.ts";
import { messageOf } from "../../../oci/message_of.ts";
import type { CgroupLayout } from "./cgroups.ts";

/** A file of a control group and its content. */
export interface LimitFile {
  /** The controller, which is the name of its hierarchy on version 1. */
  controller: string;
  name: string;
  text: string;
}

/** The range of `cpu.shares`, and that of `cpu.weight`, which took its place. */
const SHARES = { least: 2, most: 262144 };
const WEIGHTS = { least: 1, most: 10000 };

/**
 * Returns the files that set limits, in the order to write them in. Limits that version has no file for, device rules among
 * them, are left out: they hold for each container.
 *
 * Source: the kernel's `Documentation/admin-guide/cgroup-v1` and `cgroup-v2.rst`.
 */
export function limitFiles(limits: Limits, version: "v1" | "v2"): LimitFile[] {
  const files = version === "v1" ? filesOfV1(limits) : filesOfV2(limits);
  const unified = version === "v2" ? Object.entries(limits.unified ?? {}) : [];
  return [...files, ...unified.map(([name, text]) => limitFile(name, text))].flatMap((one) => one ?? []);
}

/** Makes a control group, where it is not there yet, and sets its limits. Throws `internal` for one that the kernel refuses. */
export async function limitGroup(layout: CgroupLayout, path: string, limits: Limits): Promise<void> {
  const version = layout.kind === "unified" ? "v2" : "v1";
  const files = limitFiles(limits, version);
  if (files.length === 0) return;
  const controllers = new Set(files.map(({ controller }) => controller));
  for (const controller of controllers) await makeGroup(layout, controller, path);
  for (const { controller, name, text } of files) {
    try {
      await writeFile(join(hierarchyOf(layout, controller), path, name), text);
    } catch (error) {
      throw new EngineError(
        "internal",
        `Limit control group ${path}: write "${text}" to ${name}: ${messageOf(error)}`,
        {
          cause: error,
        },
      );
    }
  }
}

function filesOfV1({ memory, cpu, pids, blockIO }: Limits): (LimitFile | undefined)[] {
  return [
    limitFile("memory.limit_in_bytes", memory?.limit),
    limitFile("memory.memsw.limit_in_bytes", memory?.swap),
    limitFile("memory.soft_limit_in_bytes", memory?.reservation),
    limitFile("memory.swappiness", memory?.swappiness),
    limitFile("cpu.shares", cpu?.shares),
    limitFile("cpu.cfs_period_us", cpu?.period),
    limitFile("cpu.cfs_quota_us", cpu?.quota),
    limitFile("cpuset.cpus", cpu?.cpus),
    limitFile("cpuset.mems", cpu?.mems),
    limitFile("pids.max", limitText(pids?.limit)),
    limitFile("blkio.weight", blockIO?.weight),
    ...throttleFiles("blkio.throttle.read_bps_device", blockIO?.throttleReadBpsDevice, ""),
    ...throttleFiles("blkio.throttle.write_bps_device", blockIO?.throttleWriteBpsDevice, ""),
    ...throttleFiles("blkio.throttle.read_iops_device", blockIO?.throttleReadIOPSDevice, ""),
    ...throttleFiles("blkio.throttle.write_iops_device", blockIO?.throttleWriteIOPSDevice, ""),
  ];
}

function filesOfV2({ memory, cpu, pids, blockIO }: Limits): (LimitFile | undefined)[] {
  const { limit, swap } = memory ?? {};
  // Version 2 counts swap apart from memory.
  const swapOnly = swap === undefined || swap === null ? undefined : swap < 0 ? "max" : swap - (limit ?? 0);
  const hasMax = cpu?.quota != null || cpu?.period != null;
  const quota = (cpu?.quota ?? 0) > 0 ? cpu?.quota : "max";
  return [
    limitFile("memory.max", limitText(limit)),
    limitFile("memory.swap.max", swapOnly),
    limitFile("memory.low", memory?.reservation),
    limitFile("cpu.weight", cpu?.shares ? weightOf(cpu.shares) : undefined),
    limitFile("cpu.max", hasMax ? `${quota} ${cpu?.period ?? 100_000}` : undefined),
    limitFile("cpuset.cpus", cpu?.cpus),
    limitFile("cpuset.mems", cpu?.mems),
    limitFile("pids.max", limitText(pids?.limit)),
    limitFile("io.bfq.weight", blockIO?.weight),
    ...throttleFiles("io.max", blockIO?.throttleReadBpsDevice, "rbps="),
    ...throttleFiles("io.max", blockIO?.throttleWriteBpsDevice, "wbps="),
    ...throttleFiles("io.max", blockIO?.throttleReadIOPSDevice, "riops="),
    ...throttleFiles("io.max", blockIO?.throttleWriteIOPSDevice, "wiops="),
  ];
}

/** A file whose controller is the first part of its name; nothing for what says nothing. */
function limitFile(name: string, value: string | number | null | undefined): LimitFile | undefined {
  if (value === undefined || value === null || value === "" || value === 0) return undefined;
  return { controller: name.split(".")[0], name, text: String(value) };
}

function throttleFiles(name: string, list: readonly Throttle[] | undefined, prefix: string): (LimitFile | undefined)[] {
  return (list ?? []).map(({ major, minor, rate }) => limitFile(name, `${major}:${minor} ${prefix}${rate}`));
}

function limitText(limit: number | null | undefined): number | "max" | undefined {
  if (limit === undefined || limit === null || limit === 0) return undefined;
  return limit < 0 ? "max" : limit;
}

/** The weight that stands for shares, as the runtimes count it. */
function weightOf(shares: number): number {
  const inside = Math.min(Math.max(shares, SHARES.least), SHARES.most);
  const part = (inside - SHARES.least) / (SHARES.most - SHARES.least);
  return Math.floor(WEIGHTS.least + part * (WEIGHTS.most - WEIGHTS.least));
}

function hierarchyOf({ kind, unified, mounts }: CgroupLayout, controller: string): string {
  if (kind === "unified") return unified;
  const found = mounts.find((mount) => basename(mount).split(",").includes(controller));
  if (found !== undefined) return found;
  throw new EngineError("unsupported", `Limit control group: this machine has no controller "${controller}"`);
}

/** Makes a group in which a controller's files are. */
async function makeGroup(layout: CgroupLayout, controller: string, path: string): Promise<void> {
  const root = hierarchyOf(layout, controller);
  const folder = join(root, path);
  await mkdir(folder, { recursive: true });
  if (layout.kind === "unified") {
    // From the top, or from what is delegated: a group has the controllers that the one above it lets it have.
    const partsOf = (text: string) => text.split("/").filter((part) => part !== "");
    const above = partsOf(path).slice(0, -1);
    for (let count = partsOf(layout.base ?? "/").length; count <= above.length; count++) {
      await writeFile(join(root, ...above.slice(0, count), "cgroup.subtree_control"), `+${controller}`);
    }
  }
  // Groups below count for this one. Refused where that is so already, or where there are groups below.
  if (controller === "memory") await writeFile(join(folder, "memory.use_hierarchy"), "1").catch(() => {});
  if (controller === "cpuset" && layout.kind !== "unified") await fillCpuset(root, path);
}

/** A new group of version 1 has no processors and no memory; it takes those of the group above. */
async function fillCpuset(root: string, path: string): Promise<void> {
  if (path === "/") return;
  await fillCpuset(root, dirname(path));
  for (const name of ["cpuset.cpus", "cpuset.mems"]) {
    const place = join(root, path, name);
    if ((await readFile(place, "utf8")).trim() !== "") continue;
    await writeFile(place, (await readFile(join(root, dirname(path), name), "utf8")).trim());
  }
}
