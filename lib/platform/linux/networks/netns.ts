/**
 * Network namespaces that last without a process: each is kept by a file it is mounted on.
 *
 * @module
 */
import { writeFileSync } from "node:fs";
import { unmount } from "../calls/libc.ts";
import { isMountPoint, unmountAll } from "../mounts/overlay.ts";
import type { Nursery } from "../processes/nursery/nursery.ts";
import { removeFile } from "../helpers/tree.ts";

/** Makes an empty namespace with its loopback up, in place of one that may be there. */
export async function createNamespaceAt(path: string, nursery: Nursery): Promise<void> {
  await deleteNamespaceAt(path);
  writeFileSync(path, "", { mode: 0o600 });
  try {
    await nursery.netns(path);
  } catch (error) {
    await deleteNamespaceAt(path);
    throw error;
  }
}

/** Lets a namespace go: it ends with its last process. Missing is no error. */
export async function deleteNamespaceAt(path: string): Promise<void> {
  // Whoever takes the container out of its networks has the file open for some milliseconds yet. The program `umount`, which could not
  // let go of it any sooner, would read the whole table of mounts first: two for each container that runs.
  if (isMountPoint(path)) await unmount(path, true);
  await unmountAll(path);
  await removeFile(path);
}

/** Whether a namespace is there; the file alone, as after a reboot, is none. */
export function hasNamespace(path: string): boolean {
  return isMountPoint(path);
}
