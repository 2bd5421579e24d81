/**
 * The mounts of a container, in the runtime specification's words.
 *
 * @module
 */
import { stat } from "node:fs/promises";
import type { ContainerRecord } from "../../../../engine/records/container_record.ts";
import type { ArtifactFile } from "../../../../engine/ports/host_port.ts";
import { isOverlay, type MountSpec } from "../../../../engine/records/mount_spec.ts";
import { artifactMounts } from "./artifact_mounts.ts";
import { bindMount, type HostFile } from "./bind_mounts.ts";
import type { CgroupView } from "./cgroup_mounts.ts";
import { changeOwner } from "./change_owner.ts";
import { pathRefusal } from "../../helpers/path_refusal.ts";
import { idMapping } from "../id_mapping.ts";
import { kernelMounts } from "./kernel_mounts.ts";
import { overlayMount } from "./overlay_mounts.ts";
import type { SpecMount } from "../spec_types.ts";
import type { Below } from "./shared_folders.ts";
import type { SubPaths } from "./sub_paths.ts";

/** The path of the pause program in an infra container without an image. */
export const PAUSE_PATH = "/catatonit";
/** Words for ownership, mapping and copying that are no options of mount(2). */
const OWN_WORDS = /^(?:z|Z|U|O|idmap(?:=.*)?|nocopy|copy|bind-nonrecursive|no-dereference)$/;

/** The sources of a container's mounts besides its record. */
export interface MountSources {
  /** Files of the host bound into the tree, by destination. */
  files: Record<string, HostFile>;
  volumePath: (name: string) => string;
  /** The path at which an image's tree is mounted, by the number of the mount in the record. */
  imagePath: (index: number) => string;
  /** A folder of the container's own for what overlays change, by the number of the mount in the record. */
  changesPath: (index: number) => string;
  /** The IDs of the process on the host, and in the container. */
  owner: { host: { uid: number; gid: number }; container: { uid: number; gid: number } };
  subPaths: SubPaths;
  /** Returns the folder that containers can change on the way to a path of the host, if there is one. */
  sharedAbove: (path: string) => Below | undefined;
  /** The container's tree. */
  rootfs: string;
  /** The files of artifacts, by the number of the mount in the record. */
  artifacts?: Readonly<Record<number, ArtifactFile[]>>;
  groups: CgroupView;
  /** The other container's /dev/shm, where it is shared. */
  sharedMemory?: string;
  /** Catatonit on the host and its place in the container, when the record requires it. */
  init?: { source: string; place: string };
}

/**
 * Lists the mounts, outer before inner. One the user asks for replaces a default one at its place. Throws
 * `EngineError("invalid")` when a bind's source is missing.
 */
export async function containerMounts(record: ContainerRecord, sources: MountSources): Promise<SpecMount[]> {
  const mounts = new Map<string, SpecMount>();
  const add = (mount: SpecMount) => mounts.set(mount.destination, mount);
  for (const mount of kernelMounts(record, sources.groups, sources.sharedMemory)) add(mount);
  for (const [destination, file] of Object.entries(sources.files)) add(bindMount(destination, file));
  const { init } = sources;
  if (init !== undefined) add(bindMount(init.place, { source: init.source, kind: "program" }));
  const asked = await Promise.all(record.mounts.map((mount, index) => askedMount(record, mount, index, sources)));
  for (const mount of asked.flat()) {
    mounts.delete(mount.destination);
    add(mount);
  }
  // Array.sort is stable: among equals the later one was asked for later.
  return [...mounts.values()].sort((a, b) => pathDepth(a.destination) - pathDepth(b.destination));
}

async function askedMount(
  record: ContainerRecord,
  mount: MountSpec,
  index: number,
  sources: MountSources,
): Promise<SpecMount | SpecMount[]> {
  const { destination, type } = mount;
  if (type === "artifact") return await artifactMounts(mount, sources.artifacts?.[index] ?? [], sources);
  const options = runtimeOptions(mount);
  const { owner } = sources;
  const isOwned = mount.options.includes("U");
  if (type === "tmpfs" || type === "ramfs") {
    if (isOwned) options.push(`uid=${owner.container.uid}`, `gid=${owner.container.gid}`);
    return { destination, type, source: type, options };
  }
  if (type === "devpts" || type === "mqueue") return { destination, type, source: type, options };
  const source = await sourceOf(mount, index, sources);
  if (isOwned && type !== "image") await changeOwner(source, owner.host, sources.subPaths.realPath(source));
  if (isOverlay(mount)) {
    const changes = sources.changesPath(index);
    const byRuntime = record.idMaps === undefined;
    return await overlayMount(mount, { source, changes, owner: isOwned ? owner.host : undefined, byRuntime });
  }
  const kind = type === "image" ? "image" : "asked";
  return { ...bindMount(destination, { source, kind }, options), ...idMapping(record, mount) };
}

/** The options that mount(2) and the runtime know. */
function runtimeOptions(mount: MountSpec): string[] {
  const options = mount.options.filter((option) => !OWN_WORDS.test(option));
  if (mount.options.includes("bind-nonrecursive")) options.push("bind");
  if (mount.options.includes("no-dereference")) options.push("copy-symlink");
  return options;
}

async function sourceOf(mount: MountSpec, index: number, sources: MountSources): Promise<string> {
  const whole = mount.type === "volume"
    ? sources.volumePath(mount.source)
    : mount.type === "image"
    ? sources.imagePath(index)
    : mount.source;
  if ("subPath" in mount && mount.subPath !== undefined) return await sources.subPaths.open(whole, mount.subPath);
  const below = mount.type === "bind" || mount.type === "overlay" ? sources.sharedAbove(whole) : undefined;
  // A container could put a link on the way, which leads out of what is its own.
  if (below !== undefined) {
    return await sources.subPaths.open(below.folder, below.rest, mount.options.includes("rbind"));
  }
  await stat(whole).catch((error) => {
    throw pathRefusal(`statfs ${whole}`, error);
  });
  return whole;
}

function pathDepth(path: string): number {
  return path.split("/").filter((part) => part !== "").length;
}
