import { randomUUID } from "node:crypto";
import { rename } from "node:fs/promises";
import { join } from "node:path";
import { hasSystemCode } from "../../../oci/system_error.ts";
import { removeTree } from "../helpers/tree.ts";

/** Takes a folder out of sight at once, into the folder of what is not whole, then deletes it. Missing is no error. */
export async function discardFolder(
  folder: string,
  partial: string,
  remove: (path: string) => Promise<void> = removeTree,
): Promise<void> {
  const doomed = join(partial, randomUUID());
  try {
    await rename(folder, doomed);
  } catch (error) {
    if (hasSystemCode(error, "ENOENT")) return;
    throw error;
  }
  await remove(doomed);
}
