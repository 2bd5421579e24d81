import { lchown, symlink } from "node:fs/promises";
import { openInside } from "../../helpers/safe_path.ts";
import { ensureFolder } from "../tree/workdir.ts";
import { hasSystemCode } from "../../../../oci/system_error.ts";

/** Links /etc/mtab to the kernel's list of mounts in a tree that has no such file, without leaving the tree. */
export async function linkMountTable(rootfs: string, owner: { uid: number; gid: number }): Promise<void> {
  let folder = await openInside(rootfs, "/etc");
  if (folder === undefined) {
    await ensureFolder(rootfs, "/etc", owner);
    folder = await openInside(rootfs, "/etc");
  }
  // A link that leads nowhere: the image has chosen.
  if (folder === undefined) return;
  try {
    const path = `/proc/self/fd/${folder.fd}/mtab`;
    await symlink("/proc/mounts", path);
    if (owner.uid !== 0 || owner.gid !== 0) await lchown(path, owner.uid, owner.gid);
  } catch (error) {
    // EEXIST: there is one; ENOTDIR: /etc is no folder.
    if (!hasSystemCode(error, "EEXIST", "ENOTDIR")) throw error;
  } finally {
    await folder.close();
  }
}
