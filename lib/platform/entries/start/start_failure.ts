/**
 * Failures of a server's start as its user reads them: one line with what failed, why, and what would help.
 *
 * @module
 */
import { EngineError } from "../../../engine/errors.ts";
import { messageOf } from "../../../oci/message_of.ts";
import { isFullDisk } from "../../../oci/system_error.ts";

/** A part of a server's start: in words, and the options of the command that choose another place for it. */
export interface StartStep {
  /** The work, with its place: `Open root "/srv/gantry"`. */
  readonly text: string;
  /** The option that would change the place. */
  readonly option: string;
}

/** The reasons of system errors, by their codes (errno(3)), and the advice beside the step's option. */
const REASONS: Readonly<Record<string, readonly [reason: string, advice?: string]>> = {
  EADDRINUSE: ["another program listens there", "end that one"],
  ECONNREFUSED: ["nobody listens there", "start the server"],
  EADDRNOTAVAIL: ["this machine does not have that address"],
  ENOTFOUND: ["no address is known for that name"],
  EACCES: ["this user may not", "use the user that may"],
  EPERM: ["this user may not", "use the user that may"],
  EROFS: ["the file system can only be read"],
  ENOSPC: ["the disk is full", "free some space"],
  EDQUOT: ["this user's share of the disk is full", "free some space"],
  ENOENT: ["there is no such file or folder"],
  ENOTDIR: ["a part of the path is a file"],
  EEXIST: ["a part of the path is a file"],
  EISDIR: ["a folder has the place of the file"],
  EINVAL: ["the path is too long for a socket, which has 107 bytes at most"],
};

/** The messages of SQLite (its result codes SQLITE_READONLY, NOTADB, CORRUPT, CANTOPEN), which not every runtime gives as codes. */
const STORE_REASONS: readonly [pattern: RegExp, code: string | readonly [reason: string, advice?: string]][] = [
  [/readonly database/, "EROFS"],
  [/not a database/, ["its gantry.db is no database of Gantry's", "move that file away"]],
  [/malformed/, ["its gantry.db is damaged", "put a copy of it back"]],
  [/unable to open/, "EACCES"],
];

/** Does a part of the start. Throws one line with the step and the reason; errors that have a sentence of their own stay as they are. */
export async function startStep<T>(step: StartStep, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw startFailure(step, error);
  }
}

/** Returns the error that says why a step failed; the one itself where it says so already. */
export function startFailure({ text, option }: StartStep, error: unknown): unknown {
  if (error instanceof EngineError && error.code !== "corrupt") return error;
  const [reason, advice] = reasonOf(error) ?? [];
  if (reason === undefined) return error;
  const other = `choose another place with ${option}`;
  return new Error(`${text}: ${reason}; ${advice === undefined ? other : `${advice}, or ${other}`}`, { cause: error });
}

function reasonOf(error: unknown): readonly [reason: string, advice?: string] | undefined {
  const { code = "", syscall = "", port } = error instanceof Error
    ? error as NodeJS.ErrnoException & { port?: number }
    : {};
  if (code === "ERR_SQLITE_ERROR" || code === "corrupt") {
    if (isFullDisk(error)) return REASONS.ENOSPC;
    const found = STORE_REASONS.find(([pattern]) => pattern.test(messageOf(error)))?.[1];
    return typeof found === "string" ? REASONS[found] : found;
  }
  // Elsewhere this code says something else.
  if (code === "EINVAL" && syscall !== "listen") return undefined;
  // Deno says so of a TCP address (seen with 2.9.6); a path has the port -1.
  if (code === "EINVAL" && port !== undefined && port >= 0) return REASONS.EADDRNOTAVAIL;
  return Object.hasOwn(REASONS, code) ? REASONS[code] : undefined;
}
