import { invalid } from "../../../engine/errors.ts";

/** The kernel's refusals that are due to the path that a user named, in the words of strerror(3) as Go writes them. */
const REASONS: ReadonlyMap<string, string> = new Map([
  ["EACCES", "permission denied"],
  ["EPERM", "operation not permitted"],
  ["ENOENT", "no such file or directory"],
  ["ENOTDIR", "not a directory"],
  ["EEXIST", "file exists"],
  ["EROFS", "read-only file system"],
  ["ELOOP", "too many levels of symbolic links"],
  ["ENAMETOOLONG", "file name too long"],
]);

/**
 * Returns the error `invalid` for a system call that failed because of the path that a user named: a server that is not root may not
 * open all of them. Another failure is returned as it is.
 *
 * @param action The call and its path, as in "statfs /data"
 */
export function pathRefusal(action: string, error: unknown): unknown {
  const reason = REASONS.get((error as NodeJS.ErrnoException | undefined)?.code ?? "");
  return reason === undefined ? error : invalid(action, reason);
}
