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
  makeOne(path, mode);
}

/** The same for a folder that is most likely not there, where the one above it most likely is: neither is asked for before. */
export function makeNew(path: string, mode: number): void {
  try {
    makeOne(path, mode);
  } catch (error) {
    if (!hasSystemCode(error, "ENOENT")) throw error;
    makeMissing(path, mode);
  }
}

function makeOne(path: string, mode: number): void {
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    // Somebody else may have made it meanwhile.
    if (!hasSystemCode(error, "EEXIST") || !existsSync(path)) throw error;
  }
}
