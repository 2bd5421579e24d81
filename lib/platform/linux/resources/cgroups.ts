/**
 * Control groups, version 1, 2 and both at once.
 *
 * @module
 */
import { createHash } from "node:crypto";
import { access, constants, mkdir, readFile, rmdir, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { writeAtOnce } from "../calls/libc.ts";
import { processesNamed } from "../helpers/proc.ts";
import { isRootless } from "../rootless/outer_user.ts";
import type { ContainerRecord } from "../../../engine/records/container_record.ts";
import type { CgroupView } from "../bundle/mounts/cgroup_mounts.ts";
import { Locks } from "../../../engine/store/locks.ts";
import type { Limits } from "../../../engine/records/limits.ts";
import { isFrozen, setFrozen } from "./freezer.ts";
import { limitGroup } from "./group_limits.ts";
import { findDelegatedGroup, takeDelegatedGroup } from "./delegated_group.ts";
import { CgroupParents } from "./cgroup_parents.ts";
import { removeCgroup } from "./remove_cgroup.ts";
import { hasSystemCode } from "../../../oci/system_error.ts";
import { hostText } from "../helpers/bounded_read.ts";

const MOUNT = "/sys/fs/cgroup";
/** A v1 cpuset takes no process before its processors are chosen; nothing here needs it. */
const SKIPPED = new Set(["cpuset"]);

/** How the hierarchies are laid out. `hybrid` is v1 with an empty v2 hierarchy beside it. */
export interface CgroupLayout {
  kind: "unified" | "legacy" | "hybrid";
  /** Mount point of the v2 hierarchy; empty with `legacy`. */
  unified: string;
  /** Mount points of every hierarchy, v2 included. */
  mounts: string[];
  /** Mount point of the hierarchy of version 1 that systemd uses, which has no controller. */
  systemd?: string;
  /** Version 2 keeps the limits of a namespace's first group from its processes. */
  delegates: boolean;
  /** The group that is delegated to this process's user, below the mount point; absent for the machine's root, whose are all. */
  base?: string;
  /** This process may make no groups: it is an ordinary user's. Containers stay in its own, and `mounts` is empty. */
  isForeign?: true;
}

/** Reads the layout from this process's mounts. */
export async function readCgroupLayout(mountinfo = "/proc/self/mountinfo"): Promise<CgroupLayout> {
  const mounts: { path: string; type: string; options: string[] }[] = [];
  for (const line of (await readFile(mountinfo, "utf8")).split("\n")) {
    const [before = "", after = ""] = line.split(" - ");
    const path = before.split(" ")[4] ?? "";
    const [type = "", , options = ""] = after.split(" ");
    if (!type.startsWith("cgroup") || (path !== MOUNT && !path.startsWith(`${MOUNT}/`))) continue;
    if (!mounts.some((mount) => mount.path === path)) mounts.push({ path, type, options: options.split(",") });
  }
  const second = mounts.find(({ type }) => type === "cgroup2");
  const unified = second?.path ?? "";
  const kind = unified === MOUNT ? "unified" : unified === "" ? "legacy" : "hybrid";
  return {
    kind,
    unified,
    mounts: mounts.map(({ path }) => path),
    systemd: mounts.find(({ type, options }) => type === "cgroup" && options.includes("name=systemd"))?.path,
    delegates: second?.options.includes("nsdelegate") ?? false,
  };
}

/**
 * Reads the layout as far as this process may use it: an ordinary user may make groups below one that is delegated to it, and in none
 * of the hierarchies by itself.
 */
export async function usableCgroupLayout(): Promise<CgroupLayout> {
  const layout = await readCgroupLayout();
  if (!isRootless()) return layout;
  if (layout.kind === "unified") {
    const base = await findDelegatedGroup(MOUNT, await readFile("/proc/self/cgroup", "utf8"));
    if (base !== undefined) return { ...layout, base };
  }
  const used = layout.mounts.filter((mount) => !SKIPPED.has(basename(mount)));
  const writable = await Promise.all(used.map((mount) => access(mount, constants.W_OK).then(() => true, () => false)));
  if (writable.every((isWritable) => isWritable) && used.length > 0) return layout;
  return { ...layout, mounts: [], systemd: undefined, isForeign: true };
}

/** The cgroups of one host: a parent by its runroot, below it one for each container and one for all supervisors. */
export class Cgroups {
  readonly #layout: CgroupLayout;
  readonly #parent: string;
  readonly #base: string;
  /** One for each parent cgroup, from its making to the first group in it. */
  readonly #locks = new Locks();
  /** The parents that containers on their way count on. */
  readonly #holds = new Set<{ path: string }>();
  /** Parent cgroups that containers name themselves. */
  readonly parents: CgroupParents;

  constructor(layout: CgroupLayout, runroot: string) {
    this.#layout = layout;
    this.parents = new CgroupParents(layout.mounts, runroot);
    this.#base = layout.base ?? "/";
    this.#parent = join(this.#base, `gantry-${createHash("sha256").update(runroot).digest("hex").slice(0, 12)}`);
  }

  /** Makes a group that is delegated to the user one that can hand on controllers. */
  async open(): Promise<void> {
    const { base, unified } = this.#layout;
    if (base !== undefined) await takeDelegatedGroup(join(unified, base), join(unified, this.#parent));
  }

  /** A parent's path: those that callers name are below what is this server's. */
  #below(parent: string): string {
    const path = join("/", parent);
    return this.#base === "/" || path === this.#base || path.startsWith(`${this.#base}/`)
      ? path
      : join(this.#base, path);
  }

  /** Returns the path of a container's cgroup, below each hierarchy's mount point. */
  pathOf(containerID: string, parent?: string): string {
    return join(parent ? this.#below(parent) : this.#parent, containerID);
  }

  /** Returns the cgroup that the containers of a pod lie in. */
  podGroup(podID: string, parent = this.#parent): { parent: string; path: string } {
    return { parent, path: join(this.#below(parent), podID) };
  }

  /**
   * Takes note of a container's parent cgroup that is not there yet; a pod's is made, with limits for all that is below it. The
   * parent stays until the result is disposed: then the container's own group keeps it.
   */
  async claim(parent: string, podLimits?: Limits): Promise<Disposable> {
    const path = this.#below(parent);
    return await this.#locks.with(path, async () => {
      await this.parents.claim(path, podLimits && this.#parent);
      if (podLimits) await limitGroup(this.#layout, path, podLimits);
      const hold = { path };
      this.#holds.add(hold);
      return { [Symbol.dispose]: () => void this.#holds.delete(hold) };
    });
  }

  /** Removes the cgroup of a pod that has no container any more, with whatever a crash has left below it. */
  async removeGroup(group: string): Promise<void> {
    const path = this.#below(group);
    await this.#locks.with(path, async () => {
      await Promise.all(this.#layout.mounts.map((mount) => removeCgroup(join(mount, path))));
      await this.parents.release(path);
    });
  }

  /**
   * Returns the cgroups that a container can be allowed to write to. Its group of systemd's hierarchy is made where it gets that
   * one: the runtime mounts it, and takes it as it is.
   */
  async viewOf({ spec, systemd }: ContainerRecord, path: string): Promise<CgroupView> {
    const { kind, delegates, systemd: hierarchy } = this.#layout;
    const view: CgroupView = { unified: kind === "unified", delegates };
    if (this.#layout.isForeign) return { ...view, isForeign: true };
    if (!systemd || spec.privileged || spec.cgroupsMode === "disabled" || hierarchy === undefined) return view;
    const own = join(hierarchy, path);
    await mkdir(own, { recursive: true });
    return { ...view, systemd: own };
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
        if (hasSystemCode(error, "ESRCH")) return;
        if (!hasSystemCode(error, "ENOENT")) throw error;
        await mkdir(folder, { recursive: true });
        await enter();
      };
      await enter().catch(again);
    }
  }

  /** The pids of all supervisors of this host. */
  async supervisors(): Promise<number[]> {
    if (this.#layout.isForeign) return processesNamed(/^conmon$/);
    const [mount] = this.#layout.mounts.filter((mount) => !SKIPPED.has(basename(mount)));
    if (mount === undefined) return [];
    const text = await hostText(join(mount, this.#parent, "conmon", "cgroup.procs"));
    return text.split("\n").filter((line) => line !== "").map(Number);
  }

  /** Whether the container is frozen. */
  isFrozen(path: string): Promise<boolean> {
    return isFrozen(this.#layout, path);
  }

  /** Freezes a container's processes, or lets them go on. Resolves with whether that is done. */
  setFrozen(path: string, freezes: boolean): Promise<boolean> {
    return setFrozen(this.#layout, path, freezes);
  }

  /** Removes a cgroup and what is below it. Processes that are ending in it are waited for, a moment. */
  async remove(path: string): Promise<void> {
    await Promise.all(this.#layout.mounts.map((mount) => removeCgroup(join(mount, path))));
    const parent = dirname(path);
    await this.#locks.with(parent, async () => {
      // A container that is coming up counts on it.
      const isHeld = [...this.#holds].some(({ path }) => path === parent);
      if (!isHeld) await this.parents.release(parent);
    });
  }

  /** Whether containers get groups, and with them limits. */
  get isManaged(): boolean {
    return !this.#layout.isForeign;
  }

  /** Removes the parent, unless containers still use it. */
  async close(): Promise<void> {
    for (const mount of this.#layout.mounts) {
      await rmdir(join(mount, this.#parent, "conmon")).catch(() => {});
      await rmdir(join(mount, this.#parent)).catch(() => {});
    }
  }
}
