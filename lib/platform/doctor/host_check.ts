import { access, constants, readFile, statfs } from "node:fs/promises";
import { arch, release } from "node:os";
import { dirname } from "node:path";
import process from "node:process";
import { messageOf } from "../../oci/message_of.ts";
import { checkCRIU } from "../linux/checkpoints/criu.ts";
import { type OSRelease, readOSRelease } from "../linux/os_release.ts";
import { isInstalled } from "../linux/helpers/programs.ts";
import { readCgroupLayout, usableCgroupLayout } from "../linux/resources/cgroups.ts";
import { NEEDS } from "./needs.ts";

/** The facts about a machine that `doctor` judges. */
export interface HostCheck {
  /** As Node names it: `linux`, `darwin`. */
  readonly os: string;
  readonly arch: string;
  readonly kernel: string;
  readonly distribution: Pick<OSRelease, "id" | "like" | "name">;
  /** The runtime of this program: `Deno 2.9.6`, `Node 24.3.0`. */
  readonly runtime: string;
  /** The probes of {@linkcode NEEDS} that were found. */
  readonly found: ReadonlySet<string>;
  /** Whether the kernel has overlay now; it may still load it. */
  readonly hasOverlay: boolean;
  /** `none` where no hierarchy is mounted. */
  readonly cgroups: "unified" | "hybrid" | "legacy" | "none";
  /** Control groups are there, and this user may make none: containers run without limits. */
  readonly withoutLimits?: boolean;
  /** The folder of what lasts, or the nearest above it, and its free bytes; absent where that cannot be read. */
  readonly space?: { readonly folder: string; readonly free: number };
  /** An ordinary user may not use `/dev/net/tun`. */
  readonly closedTun?: boolean;
  /** Whether the runtime has the database of the server. */
  readonly hasSQLite: boolean;
  /** Why CRIU, which is there, does not work here, as it says itself. */
  readonly brokenCRIU?: string;
  /** Why a host cannot be opened here, as the engine says it; absent where it can, or was not tried. */
  readonly trial?: string;
}

/** Gathers the facts about this machine, but for the trial. */
export async function checkThisHost(root: string): Promise<HostCheck> {
  const isLinux = process.platform === "linux";
  const probes = await Promise.all(NEEDS.map(async ({ probe }) => [probe, await isInstalled(probe)] as const));
  const found = new Set(probes.flatMap(([probe, has]) => has ? [probe] : []));
  const filesystems = await readFile("/proc/filesystems", "utf8").catch(() => "");
  return {
    os: process.platform,
    arch: arch(),
    kernel: release(),
    distribution: await readOSRelease(),
    runtime: nameRuntime(process.versions),
    found,
    brokenCRIU: found.has("criu") ? await checkCRIU().then(() => undefined, messageOf) : undefined,
    hasOverlay: /\boverlay$/m.test(filesystems),
    cgroups: isLinux ? await kindOfCgroups() : "none",
    withoutLimits: isLinux && (await usableCgroupLayout()).isForeign === true,
    closedTun: isLinux && process.getuid?.() !== 0 &&
      await access("/dev/net/tun", constants.R_OK | constants.W_OK).then(() => false, () => true),
    hasSQLite: process.getBuiltinModule?.("node:sqlite") !== undefined,
    space: await freeSpace(root),
  };
}

/** The name and version of the runtime that has these versions. */
export function nameRuntime(versions: Readonly<Record<string, string | undefined>>): string {
  return versions.deno === undefined ? `Node ${versions.node}` : `Deno ${versions.deno}`;
}

async function kindOfCgroups(): Promise<HostCheck["cgroups"]> {
  const { kind, mounts } = await readCgroupLayout();
  return mounts.length === 0 ? "none" : kind;
}

/** The folder, or the nearest above it that is there, and the bytes that are free in it. */
export async function freeSpace(root: string): Promise<HostCheck["space"]> {
  for (let folder = root;; folder = dirname(folder)) {
    const facts = await statfs(folder).catch(() => undefined);
    if (facts !== undefined) return { folder, free: facts.bavail * facts.bsize };
    if (folder === dirname(folder)) return undefined;
  }
}
