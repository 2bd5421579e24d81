import type { ContainerRecord } from "../../records/container_record.ts";
import type { TreePath } from "../../ports/tree_port.ts";
import type { Context } from "../context.ts";
import { requireHost } from "../../core.ts";
import { cleanPath } from "../../../oci/clean_path.ts";
import { foldersWritten } from "../create/written_folders.ts";
import type { HeldTree } from "./held_tree.ts";

/** States in which the process sees the container's mounts. */
const SEEING = new Set(["running", "paused", "stopping"]);

/** A container's path as an absolute one: what is relative begins at its working folder. Its end stays as it is spelled. */
export function absolutePath(record: ContainerRecord, path: string): string {
  return path.startsWith("/") ? path : `/${record.process.workdir}/${path}`;
}

/**
 * Returns where the host has to look for a path. A running container's process sees every mount. For a container that does not
 * run, the lookup begins in the mount whose destination the path begins with, and the mounts that a start makes (tmpfs, overlays,
 * image mounts) are missing.
 */
export function treePath(
  context: Context,
  { record, root }: Pick<HeldTree, "record" | "root">,
  path: string,
): TreePath {
  const place: TreePath = { root, path, idMaps: record.idMaps };
  if (SEEING.has(record.state.status)) return { ...place, pid: record.state.pid };
  const clean = cleanPath(path);
  const mounts = record.mounts.filter((mount) => mount.type === "bind" || mount.type === "volume")
    .filter(({ destination }) => clean === destination || clean.startsWith(`${destination}/`));
  const deepest = mounts.sort((a, b) => b.destination.length - a.destination.length)[0];
  if (deepest === undefined) return place;
  const { type, destination, subPath, options } = deepest;
  const source = type === "volume" ? requireHost(context.core).volumes.path(deepest.source) : deepest.source;
  const writtenFolders = type === "bind" ? foldersWritten(context) : undefined;
  return { ...place, mount: { source, destination, subPath, readOnly: options.includes("ro"), writtenFolders } };
}
