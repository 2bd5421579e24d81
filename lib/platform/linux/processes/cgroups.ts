/**
 * Control groups, version 1, 2 and both at once.
 *
 * @module
 */
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rmdir, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { writeAtOnce } from "../libc.ts";
import { CgroupParents } from "./cgroup_parents.ts";

const MOUNT = "/sys/fs/cgroup";
/** A v1 cpuset takes no process before its processors are chosen; nothing here needs it. */
const SKIPPED = new Set(["cpuset"]);
const REMOVE_TRIES = 50;

/** How the hierarchies are laid out. `hybrid` is v1 with an empty v2 hierarchy beside it. */
export interface CgroupLayout {
  kind: "unified" | "legacy" | "hybrid";
  /** Mount point of the v2 hierarchy; empty with `legacy`. */
  unified: string;
  /** Mount points of every hierarchy, v2 included. */
  mounts: string[];
}

/** Reads the layout from this process's mounts. */
export async function readCgroupLayout(): Promise<CgroupLayout> {
  const mounts: { path: string; type: string }[] = [];
  for (const line of (await readFile("/proc/self/mountinfo", "utf8")).split("\n")) {
    const [before = "", after = ""] = line.split(" - ");
    const path = before.split(" ")[4] ?? "";
    const type = after.split(" ")[0] ?? "";
    if (!type.startsWith("cgroup") || (path !== MOUNT && !path.startsWith(`${MOUNT}/`))) continue;
    if (!mounts.some((mount) => mount.path === path)) mounts.push({ path, type });
  }
  const unified = mounts.find(({ type }) => type === "cgroup2")?.path ?? "";
  const kind = unified === MOUNT ? "unified" : unified === "" ? "legacy" : "hybrid";
  return { kind, unified, mounts: mounts.map(({ path }) => path) };
}

/** The cgroups of one host: a parent by its runroot, below it one for each container and one for all supervisors. */
export class Cgroups {
  readonly #layout: CgroupLayout;
  readonly #parent: string;
  /** Those that containers name themselves. */
  readonly parents: CgroupParents;

  constructor(layout: CgroupLayout, runroot: string) {
    this.#layout = layout;
    this.parents = new CgroupParents(layout.mounts, runroot);
    this.#parent = `/gantry-${createHash("sha256").update(runroot).digest("hex").slice(0, 12)}`;
  }

  /** Where a container's cgroup is, below each hierarchy's mount point. */
  pathOf(containerID: string, parent?: string): string {
    return join("/", parent || this.#parent, containerID);
  }

  /** Moves a supervisor out of this process's cgroups, so that it outlives them. */
  async adopt(pid: number): Promise<void> {
    for (const mount of this.#layout.mounts) {
      if (SKIPPED.has(basename(mount))) continue;
      const folder = join(mount, this.#parent, "conmon");
      const file = join(folder, "cgroup.procs");
      const enter = async () => await writeAtOnce(file, String(pid)) || await writeFile(file, String(pid));
      const again = async (error: NodeJS.ErrnoException) => {
        // It has ended already, and says itself why.
        if (error.code === "ESRCH") return;
        if (error.code !== "ENOENT") throw error;
        await mkdir(folder, { recursive: true });
        await enter();
      };
      await enter().catch(again);
    }
  }

  /** The pids of all supervisors of this host. */
  async supervisors(): Promise<number[]> {
    const [mount] = this.#layout.mounts.filter((mount) => !SKIPPED.has(basename(mount)));
    if (mount === undefined) return [];
    const text = await readFile(join(mount, this.#parent, "conmon", "cgroup.procs"), "utf8").catch(() => "");
    return text.split("\n").filter((line) => line !== "").map(Number);
  }

  /** Whether the container is frozen. */
  async isFrozen(path: string): Promise<boolean> {
    if (this.#layout.kind === "unified") {
      const events = await readFile(join(MOUNT, path, "cgroup.events"), "utf8").catch(() => "");
      return /^frozen 1$/m.test(events);
    }
    const state = await readFile(join(MOUNT, "freezer", path, "freezer.state"), "utf8").catch(() => "THAWED");
    return state.trim() !== "THAWED";
  }

  /** Removes a cgroup and what is below it. Processes that are ending in it are waited for, a moment. */
  async remove(path: string): Promise<void> {
    await Promise.all(this.#layout.mounts.map((mount) => removeGroup(join(mount, path))));
    await this.parents.release(dirname(path));
  }

  /** Removes the parent, unless containers still use it. */
  async close(): Promise<void> {
    for (const mount of this.#layout.mounts) {
      await rmdir(join(mount, this.#parent, "conmon")).catch(() => {});
      await rmdir(join(mount, this.#parent)).catch(() => {});
    }
  }
}

async function removeGroup(folder: string): Promise<void> {
  if (!existsSync(folder)) return;
  for (let attempt = 0;; attempt++) {
    try {
      return await rmdir(folder);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "ENOENT") return;
      if (attempt === REMOVE_TRIES || (code !== "EBUSY" && code !== "ENOTEMPTY")) throw error;
    }
    for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
      if (entry.isDirectory()) await removeGroup(join(folder, entry.name));
    }
    if (attempt > 0) await sleep(10);
  }
}
