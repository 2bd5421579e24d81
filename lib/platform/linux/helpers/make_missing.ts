import { existsSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { hasSystemCode } from "../../../oci/system_error.ts";

/**
 * Makes a folder of the server's own, with those above it, unless it is there. On this thread: another one takes longer to wake than
 * the disk does.
 */
export function makeMissing(path: string, mode: number): void {
  if (existsSync(path)) return;
  makeMissing(dirname(path), mode);
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    // Somebody else may have made it meanwhile.
    if (!hasSystemCode(error, "EEXIST") || !existsSync(path)) throw error;
  }
}
