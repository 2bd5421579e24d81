import { EngineError } from "../../engine/errors.ts";
import { folderDanger } from "./folder_danger.ts";

/**
 * Throws `EngineError("forbidden")` for a folder that {@linkcode folderDanger} warns of.
 *
 * @param sticky Accepts the folder itself, too, where it is sticky
 */
export async function checkFolder(path: string, sticky = false): Promise<void> {
  const why = await folderDanger(path, sticky);
  if (why !== undefined) throw new EngineError("forbidden", `Use folder "${path}": ${why}`);
}
