/**
 * Errors of the system, as the file system, the database and programs tell of them under any runtime.
 *
 * @module
 */

/** The text of ENOSPC, on which clients match. */
export const NO_SPACE = "no space left on device";

/** A full disk in the words of Deno and of programs, of GNU tar, and of SQLite (SQLITE_FULL). */
const FULL = /No space left on device|Wrote only \d+ of \d+ bytes|database or disk is full/;

/** Whether a thrown value has one of the codes of errno(3), such as `ENOENT`. */
export function hasSystemCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && "code" in error && codes.includes(error.code as string);
}

/** Takes the error of a path at which nothing is for `undefined`, as a handler of a promise; throws any other. */
export function whereMissing(error: unknown): undefined {
  if (hasSystemCode(error, "ENOENT", "ENOTDIR")) return undefined;
  throw error;
}

/** Whether an error, or one that raised it, is of a disk without room, or of a user who has had their share of it. */
export function isFullDisk(error: unknown): boolean {
  for (let inner = error; inner instanceof Error; inner = inner.cause) {
    if (hasSystemCode(inner, "ENOSPC", "EDQUOT") || FULL.test(inner.message)) return true;
  }
  return false;
}
