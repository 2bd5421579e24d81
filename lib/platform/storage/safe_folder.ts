import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { EngineError } from "../../engine/errors.ts";
import { folderDanger } from "./folder_danger.ts";
import { hasSystemCode } from "../../oci/system_error.ts";

/**
 * Throws `EngineError("forbidden")` for a folder that {@linkcode folderDanger} warns of.
 *
 * @param sticky Accepts the folder itself, too, where it is sticky
 */
export async function checkFolder(path: string, sticky = false): Promise<void> {
  refuseDanger(path, await folderDanger(path, sticky));
}

/**
 * Makes a folder, with those above it, that {@linkcode checkFolder} accepts. Where it does not accept it, nothing is made.
 *
 * @param path An absolute path
 */
export async function makeSafeFolder(path: string, mode: number): Promise<void> {
  const missing: string[] = [];
  let above = path;
  for (; !existsSync(above); above = dirname(above)) missing.unshift(above);
  if (missing.length > 0) refuseDanger(path, await folderDanger(above, true));
  // One by one: of several at once Node tells no reason but that there is none.
  for (const folder of missing) {
    await mkdir(folder, { mode }).catch((error: NodeJS.ErrnoException) => {
      // Another process may have made it meanwhile.
      if (!hasSystemCode(error, "EEXIST")) throw error;
    });
  }
  await checkFolder(path);
}

function refuseDanger(path: string, why: string | undefined): void {
  if (why !== undefined) throw new EngineError("forbidden", `Use folder "${path}": ${why}`);
}
