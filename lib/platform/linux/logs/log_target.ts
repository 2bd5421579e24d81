import { basename, dirname } from "node:path";
import type { LogSource } from "../../../engine/records/container_record.ts";
import { NO_DEVICES, NO_EXECUTION, NO_LINKS, NO_SETUID } from "../mounts/mount_handle.ts";
import { makeLogFile, openNamedFolder } from "../helpers/named_paths.ts";
import type { ContainerPaths } from "../helpers/paths.ts";
import { SubPaths } from "../bundle/mounts/sub_paths.ts";

/**
 * The path at which a container's supervisor writes its log. One that the caller names is reached through a mount of its folder
 * that follows no links: the supervisor opens the path again whenever the log has reached its size, and a container that has the
 * folder among its mounts could put a link there at any time.
 */
export async function openLogTarget(
  { driver, path, kept }: LogSource,
  container: ContainerPaths,
): Promise<string> {
  if (driver !== "k8s-file" || !kept) return path;
  const folder = await openNamedFolder(dirname(path));
  try {
    await makeLogFile(folder, path);
    const place = await new SubPaths(container.logPlace).show(folder, NO_LINKS | NO_SETUID | NO_DEVICES | NO_EXECUTION);
    return `${place}/${basename(path)}`;
  } finally {
    await folder.close();
  }
}

/** Takes that mount away. Missing is no error. */
export async function closeLogTarget(container: ContainerPaths): Promise<void> {
  await new SubPaths(container.logPlace)[Symbol.asyncDispose]();
}
