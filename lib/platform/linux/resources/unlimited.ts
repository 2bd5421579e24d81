import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Limits } from "../../../engine/records/limits.ts";

/** A file of a cgroup, and what lifts its limit. */
export interface LiftedFile {
  /** Its hierarchy on cgroups v1. */
  controller: string;
  name: string;
  text: string;
}

/**
 * Takes what is to be without limit (less than 0) out of limits, as crun 1.8 writes the number into the cgroup, which the
 * kernel refuses. A new cgroup has no limits; in one that exists they are lifted by these files.
 */
export function withoutUnlimited(limits: Limits, version: "v1" | "v2"): { limits: Limits; lifted: LiftedFile[] } {
  const { pids, cpu } = limits;
  const kept = { ...limits };
  const lifted: LiftedFile[] = [];
  if ((pids?.limit ?? 0) < 0) {
    delete kept.pids;
    lifted.push({ controller: "pids", name: "pids.max", text: "max" });
  }
  if ((cpu?.quota ?? 0) < 0) {
    const { quota: _, ...rest } = cpu!;
    kept.cpu = rest;
    lifted.push(
      version === "v1"
        ? { controller: "cpu", name: "cpu.cfs_quota_us", text: "-1" }
        : { controller: "cpu", name: "cpu.max", text: "max" },
    );
  }
  return { limits: kept, lifted };
}

/** Writes them below the cgroups' mount point. */
export async function liftLimits(root: string, cgroup: string, version: "v1" | "v2", lifted: readonly LiftedFile[]) {
  for (const { controller, name, text } of lifted) {
    await writeFile(join(root, version === "v1" ? controller : "", cgroup, name), text);
  }
}
