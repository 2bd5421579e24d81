import { existsSync } from "node:fs";
import { opendir, rmdir } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { runCommand } from "../helpers/command.ts";
import { hasSystemCode } from "../../../oci/system_error.ts";

const TRIES = 50;
const PAUSE = 10;

/**
 * Removes a control group and what is below it; missing is no error. Processes that are ending in it are waited for, a moment.
 *
 * A container makes as many groups as it likes, as deep as it likes: a program removes them, which goes from folder to folder
 * and not by paths.
 */
export async function removeCgroup(folder: string): Promise<void> {
  if (!existsSync(folder)) return;
  for (let attempt = 0;; attempt++) {
    try {
      return await rmdir(folder);
    } catch (error) {
      if (hasSystemCode(error, "ENOENT")) return;
      if (attempt === TRIES || !hasSystemCode(error, "EBUSY", "ENOTEMPTY")) throw error;
    }
    if (await hasGroups(folder)) {
      // Busy ones are named in its errors; the next try is for them.
      const args = [folder, "-mindepth", "1", "-xdev", "-depth", "-type", "d", "-delete"];
      await runCommand("find", args, { accept: [0, 1] });
    }
    if (attempt > 0) await sleep(PAUSE);
  }
}

/** The first one is enough: there may be millions. */
async function hasGroups(folder: string): Promise<boolean> {
  const entries = await opendir(folder).catch(() => undefined);
  if (entries === undefined) return false;
  for await (const entry of entries) if (entry.isDirectory()) return true;
  return false;
}
