import type { FileHandle } from "node:fs/promises";
import { mountHandle } from "../calls/libc.ts";
import { mountHandleByHelper } from "./mount_helper.ts";

/** `MOUNT_ATTR_…` of `mount_setattr(2)`. */
export const NO_SETUID = 0x2n;
export const NO_DEVICES = 0x4n;
export const NO_EXECUTION = 0x8n;
/** No symbolic link below the mount is followed. */
export const NO_LINKS = 0x200000n;
/** The kernel from which on there is {@linkcode NO_LINKS}. */
export const NO_LINKS_SINCE = "5.14";

/**
 * Mounts what an open handle holds at a path that only this process may change. A path of a tree that others write to may
 * lead elsewhere by the time it is mounted (CVE-2021-25741): `mount(8)` looks it up again, even `/proc/PID/fd/N`. So the tree is
 * opened by `openInside()` of `safe_path.ts`, and the handle is mounted.
 *
 * @param attributes Attributes of the mount, joined by `|`
 * @param recursive With what is mounted in it; mounts that come later are not seen
 */
export async function mountOpened(
  file: FileHandle,
  target: string,
  attributes = 0n,
  recursive = false,
): Promise<void> {
  if (await mountHandle(file.fd, target, attributes, recursive)) return;
  // On Node, and to learn from the helper why the kernel refuses.
  await mountHandleByHelper(file.fd, target, attributes, recursive);
}
