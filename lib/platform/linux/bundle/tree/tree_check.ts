import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { EngineError } from "../../../../engine/errors.ts";
import { hasSystemCode } from "../../../../oci/system_error.ts";

/** Folders in which runtimes mount what the kernel shows. */
const KERNEL_FOLDERS = ["dev", "proc", "sys"];

/**
 * Throws `EngineError("invalid")` unless `/dev`, `/proc` and `/sys` of a tree are folders, or missing. runc 1.1 makes links below
 * `/dev` by their path on the host: with an image's symbolic link there it would make them, and delete files, outside the tree.
 */
export async function checkKernelFolders(rootfs: string): Promise<void> {
  for (const name of KERNEL_FOLDERS) {
    const facts = await lstat(join(rootfs, name)).catch((error: NodeJS.ErrnoException) => {
      if (hasSystemCode(error, "ENOENT")) return undefined;
      throw error;
    });
    if (facts === undefined || facts.isDirectory()) continue;
    throw new EngineError("invalid", `Create container: "/${name}" of its tree is not a folder`);
  }
}
