/**
 * Files of notes, made and removed by calls of libc under Deno, in half the time that `node:fs` takes there. Whatever fails is done
 * once more by that, which tells why.
 *
 * @module
 */
import { Buffer } from "node:buffer";
import { rmSync, unlinkSync, writeFileSync } from "node:fs";
import { hasSystemCode } from "../../../oci/system_error.ts";
import { cText, library } from "../calls/libc.ts";

/** `O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC` of open(2), and the mode of the file: what the umask leaves. */
const NEW_FILE = [0o2000301, 0o666] as const;

/** Makes a file that is not there yet. False where there is one; throws where it cannot be written, and leaves nothing then. */
export function createFile(path: string, text: string): boolean {
  if (createNow(path, text)) return true;
  try {
    writeFileSync(path, text, { flag: "wx" });
    return true;
  } catch (error) {
    if (hasSystemCode(error, "EEXIST")) return false;
    rmSync(path, { force: true });
    throw error;
  }
}

/** Removes a file. False where there is none. */
export function dropFile(path: string): boolean {
  if (library()?.unlink(cText(path)) === 0) return true;
  try {
    unlinkSync(path);
    return true;
  } catch (error) {
    if (hasSystemCode(error, "ENOENT")) return false;
    throw error;
  }
}

function createNow(path: string, text: string): boolean {
  const calls = library();
  const [name, data] = [cText(path), Buffer.from(text)];
  const file = calls?.open(name, ...NEW_FILE) ?? -1;
  if (calls === null || file < 0) return false;
  const isWhole = calls.write_now(file, data, BigInt(data.length)) === BigInt(data.length);
  calls.close(file);
  // The disk may be full: a part of a note is none.
  if (!isWhole) calls.unlink(name);
  return isWhole;
}
