/**
 * The freezing of control groups: `cgroup.freeze` of version 2, and the controller `freezer` of version 1.
 *
 * @module
 */
import { writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { hasSystemCode } from "../../../oci/system_error.ts";
import { CgroupFiles } from "./cgroup_files.ts";
import type { CgroupLayout } from "./cgroups.ts";

/** How often the kernel is asked whether it is done, and the milliseconds in between. */
const [ATTEMPTS, PAUSE] = [50, 2];

/** Whether the processes of a cgroup are frozen, or about to be. */
export async function isFrozen(layout: CgroupLayout, path: string): Promise<boolean> {
  const { files, isSecond } = freezerOf(layout, path);
  if (isSecond) return (await files.table("cgroup.events"))?.frozen === 1;
  const state = await files.text("freezer.state");
  return state !== undefined && state.trim() !== "THAWED";
}

/**
 * Freezes all processes of a cgroup, or lets them go on. Resolves with whether that is done; where it is not, a process may be one that the
 * kernel cannot freeze now, or there is no such cgroup.
 */
export async function setFrozen(layout: CgroupLayout, path: string, freezes: boolean): Promise<boolean> {
  const { files, isSecond } = freezerOf(layout, path);
  const [name, word] = isSecond
    ? ["cgroup.freeze", freezes ? "1" : "0"]
    : ["freezer.state", freezes ? "FROZEN" : "THAWED"];
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    if (attempt > 0) await sleep(PAUSE);
    try {
      // Version 1 looks at each process when it is written to, and at those that it missed when it is written to again.
      writeFileSync(join(files.folder, name), word, { flag: "r+" });
    } catch (error) {
      if (hasSystemCode(error, "ENOENT", "ENODEV")) return false;
      throw error;
    }
    const isDone = isSecond
      ? (await files.table("cgroup.events"))?.frozen === Number(freezes)
      : (await files.text("freezer.state"))?.trim() === word;
    if (isDone) return true;
  }
  return false;
}

function freezerOf(layout: CgroupLayout, path: string): { files: CgroupFiles; isSecond: boolean } {
  const { kind, unified, mounts } = layout;
  const isSecond = kind === "unified";
  const mount = isSecond ? unified : mounts.find((place) => basename(place).split(",").includes("freezer"));
  return { files: new CgroupFiles(join(mount ?? "/nowhere", path)), isSecond };
}
