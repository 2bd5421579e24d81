/**
 * The mounts of a container, in the runtime specification's words.
 *
 * @module
 */
import { stat } from "node:fs/promises";
import type { ContainerRecord, MountSpec } from "../../../engine/container_record.ts";
import { EngineError } from "../../../engine/errors.ts";
import type { SpecMount } from "./spec_types.ts";

const SHM_SIZE = 65_536_000;
/** Where a container finds its init, when it wants one. */
export const INIT_PATH = "/run/podman-init";
/** Writable places of a read-only root. */
const SCRATCH = ["/run", "/tmp", "/var/tmp"];
/** Words for SELinux, ownership and copying that are no options of mount(2), and have no meaning here. */
const IGNORED = new Set(["z", "Z", "U", "idmap", "nocopy", "copy", "bind-nonrecursive"]);
/** What the mounts are made from besides the record. */
export interface MountSources {
  /** Files of the host bound into the tree, by destination. */
  files: Record<string, string>;
  volumePath: (name: string) => string;
  /** Where catatonit is, when the record wants an init. */
  init?: string;
}

/**
 * Lists the mounts, outer before inner. One the user asks for replaces a default one at its place. Throws
 * `EngineError("invalid")` when a bind's source is missing.
 */
export async function containerMounts(record: ContainerRecord, sources: MountSources): Promise<SpecMount[]> {
  const { spec } = record;
  const mounts = new Map<string, SpecMount>();
  const add = (mount: SpecMount) => mounts.set(mount.destination, mount);
  for (const mount of kernelMounts(record)) add(mount);
  if (spec.readOnly && spec.readWriteTmpfs) {
    for (const destination of SCRATCH) add(tmpfs(destination, ["rw", "rprivate", "nosuid", "nodev", "tmpcopyup"]));
  }
  for (const [destination, source] of Object.entries(sources.files)) {
    add({ destination, type: "bind", source, options: ["bind", "rprivate"] });
  }
  if (sources.init !== undefined) {
    add({ destination: INIT_PATH, type: "bind", source: sources.init, options: ["bind", "rprivate", "ro"] });
  }
  const asked = await Promise.all(record.mounts.map((mount) => askedMount(mount, sources)));
  for (const mount of asked) {
    mounts.delete(mount.destination);
    add(mount);
  }
  // Array.sort is stable: among equals the later one was asked for later.
  return [...mounts.values()].sort((a, b) => depth(a.destination) - depth(b.destination));
}

function kernelMounts({ spec }: ContainerRecord): SpecMount[] {
  const writable = spec.privileged ? "rw" : "ro";
  return [
    { destination: "/proc", type: "proc", source: "proc", options: ["nosuid", "noexec", "nodev"] },
    tmpfs("/dev", ["nosuid", "noexec", "strictatime", "mode=755", "size=65536k"]),
    { destination: "/sys", type: "sysfs", source: "sysfs", options: ["nosuid", "noexec", "nodev", writable] },
    {
      destination: "/dev/pts",
      type: "devpts",
      source: "devpts",
      options: ["nosuid", "noexec", "newinstance", "ptmxmode=0666", "mode=0620", "gid=5"],
    },
    { destination: "/dev/mqueue", type: "mqueue", source: "mqueue", options: ["nosuid", "noexec", "nodev"] },
    ...sharedMemory(spec),
    {
      destination: "/sys/fs/cgroup",
      type: "cgroup",
      source: "cgroup",
      options: ["rprivate", "nosuid", "noexec", "nodev", "relatime", writable],
    },
  ];
}

/** Shared memory goes with the namespace of the other means of communication, and "none" is without. */
function sharedMemory({ namespaces: { ipc }, shmSize }: ContainerRecord["spec"]): SpecMount[] {
  const destination = "/dev/shm";
  const options = ["nosuid", "noexec", "nodev"];
  if (ipc.mode === "none") return [];
  if (ipc.mode === "host") return [{ destination, type: "bind", source: destination, options: ["rbind", ...options] }];
  return [{ ...tmpfs(destination, [...options, "mode=1777", `size=${shmSize ?? SHM_SIZE}`]), source: "shm" }];
}

function tmpfs(destination: string, options: string[]): SpecMount {
  return { destination, type: "tmpfs", source: "tmpfs", options };
}

async function askedMount(mount: MountSpec, sources: MountSources): Promise<SpecMount> {
  const options = mount.options.filter((option) => !IGNORED.has(option));
  if (mount.options.includes("bind-nonrecursive")) options.push("bind");
  if (mount.type === "tmpfs") return tmpfs(mount.destination, options);
  const source = mount.type === "volume" ? sources.volumePath(mount.source) : mount.source;
  await stat(source).catch((error) => {
    const text = `statfs ${source}: no such file or directory`;
    throw new EngineError("invalid", text, { sentinel: "no such file or directory", cause: error });
  });
  return { destination: mount.destination, type: "bind", source, options };
}

function depth(path: string): number {
  return path.split("/").filter((part) => part !== "").length;
}
