/**
 * The time zone of a container: /etc/localtime of its tree.
 *
 * @module
 */
import { lchown, lstat, readlink, symlink, unlink } from "node:fs/promises";
import type { ContainerSpec } from "../../../../engine/records/container_record.ts";
import { EngineError } from "../../../../engine/errors.ts";
import { openInside, readInside } from "../../helpers/safe_path.ts";
import { hasSystemCode } from "../../../../oci/system_error.ts";

const ZONES = "/usr/share/zoneinfo";
/** Zone files take a few kilobytes. */
const LIMIT = 1024 * 1024;

/**
 * Reads a zone's file of this host, or nothing where no zone is named. The name is looked up in the folder of zones as in a tree
 * of its own: neither `..` nor a link leads out of it. Throws `EngineError("invalid")` for a zone that the host does not have.
 */
export async function readHostZone(timezone: string | undefined): Promise<Uint8Array | undefined> {
  if (timezone === undefined || timezone === "") return undefined;
  const isName = !/^\/|\0/.test(timezone) && !timezone.split("/").includes("..");
  const zone = timezone === "local"
    ? await readInside("/", "/etc/localtime", LIMIT)
    : isName
    ? await readInside(ZONES, timezone, LIMIT)
    : undefined;
  if (zone !== undefined) return zone;
  throw new EngineError("invalid", `finding timezone ${timezone} on the host: no such file or directory`);
}

/**
 * Sets a tree's time zone, as Podman does: a tree that has the zone gets a link to it; for any other the host's file is given,
 * to be copied and bound. A tree that is a folder of the host's is left as its owner made it.
 */
export async function treeZone(
  { timezone, rootfs: asked }: Pick<ContainerSpec, "timezone" | "rootfs">,
  rootfs: string,
  owner: { uid: number; gid: number },
): Promise<Uint8Array | undefined> {
  const zone = await readHostZone(timezone);
  if (zone === undefined || asked !== undefined && !asked.overlay) return zone;
  const etc = await openInside(rootfs, "/etc");
  // The runtime makes the folder with the mount.
  if (etc === undefined) return zone;
  try {
    const path = `/proc/self/fd/${etc.fd}/localtime`;
    const target = timezone === "local" ? undefined : `${ZONES}/${timezone}`;
    const isThere = target !== undefined && await readInside(rootfs, target, 4) !== undefined;
    const now = await readlink(path).catch(() => undefined);
    if (isThere && now === target) return undefined;
    // A bind mount would go where the image's own link leads.
    if (isThere || now !== undefined) await unlink(path).catch(ignoreMissing);
    // A folder in its place stays, and the runtime says that a file cannot be mounted there.
    if (!isThere || await pathExists(path)) return zone;
    await symlink(target, path);
    if (owner.uid !== 0 || owner.gid !== 0) await lchown(path, owner.uid, owner.gid);
    return undefined;
  } finally {
    await etc.close();
  }
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (!hasSystemCode(error, "ENOENT", "ENOTDIR", "EISDIR", "EPERM")) throw error;
}

async function pathExists(path: string): Promise<boolean> {
  return await lstat(path).then(() => true, () => false);
}
