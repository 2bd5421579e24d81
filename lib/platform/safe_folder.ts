import { realpath, stat } from "node:fs/promises";
import { dirname } from "node:path";
import process from "node:process";
import { EngineError } from "../engine/errors.ts";

/** The sticky bit: in a folder open to all, what is there belongs to who made it. */
const STICKY = 0o1000;

/**
 * Throws `EngineError("forbidden")` for a folder that another user could replace, or fill: it, or one above it, belongs to
 * somebody else than root and this process's user, or is open to all. Who can put records in place decides what runs as root.
 */
export async function checkFolder(path: string): Promise<void> {
  const own = process.getuid?.();
  if (own === undefined) return;
  const whole = await realpath(path);
  for (let folder = whole;; folder = dirname(folder)) {
    const { uid, mode } = await stat(folder);
    const isOpen = (mode & 0o002) !== 0 && (folder === whole || (mode & STICKY) === 0);
    const isForeign = uid !== 0 && uid !== own;
    if (isForeign || isOpen) {
      const why = isForeign ? `"${folder}" belongs to user ${uid}` : `every user may write to "${folder}"`;
      throw new EngineError("forbidden", `Use folder "${path}": ${why}`);
    }
    if (folder === dirname(folder)) return;
  }
}
