/**
 * System calls that Node has no names for: `mounts.pl` makes them.
 *
 * @module
 */
import process from "node:process";
import { EngineError } from "../../../engine/errors.ts";
import { CommandError, runCommand } from "../helpers/command.ts";
import { findProgram } from "../helpers/programs.ts";
import { MOUNTS_PROGRAM, perlArguments } from "../perl/programs.ts";

/** `AT_RECURSIVE`. */
const RECURSIVE = 0x8000;

/** Shows at `target` what a process has mounted at `path`. */
export async function shareMount(pid: number, path: string, target: string): Promise<void> {
  await help("share", String(pid), path, target);
}

/**
 * Mounts what an open handle of this process holds, as `mountHandle()` of `libc.ts` does. `/proc/PID/fd/N` is no link whose
 * text is read: the kernel goes to what is open.
 */
export async function mountHandleByHelper(
  handle: number,
  target: string,
  attributes: bigint,
  recursive = false,
): Promise<void> {
  const depth = recursive ? RECURSIVE : 0;
  await help("bind", `/proc/${process.pid}/fd/${handle}`, target, String(attributes), String(depth));
}

/**
 * Shows folders elsewhere with their owners mapped as in a user namespace. Throws `EngineError("unsupported")` where the
 * kernel, or the file system, has no such mounts.
 */
export async function mapOwners(userns: string, places: readonly { source: string; target: string }[]): Promise<void> {
  await help("idmap", userns, ...places.flatMap(({ source, target }) => [source, target]));
}

/** The options of new namespaces. */
export interface NewNamespaces {
  /** Files that keep the namespaces; `netns` empty: none is made. */
  userns: string;
  netns: string;
  /** The user namespace to be in, instead of a new one. */
  join: string;
  /** Lines of `uid_map` and `gid_map`. */
  uids: string;
  gids: string;
}

/** Makes a user namespace, and a network namespace in it. */
export async function makeNamespaces({ userns, netns, join, uids, gids }: NewNamespaces): Promise<void> {
  await help("userns", userns, netns, join, uids, gids);
}

async function help(verb: string, ...args: string[]): Promise<void> {
  const perl = await findProgram("perl");
  if (perl === undefined) throw new EngineError("unsupported", `Prepare mounts: perl is not installed`);
  try {
    await runCommand(perl, perlArguments(MOUNTS_PROGRAM, "Prepare mounts", [verb, ...args]));
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    const isMissing = /^mount_setattr/m.test(error.stderr);
    const lacking = verb === "idmap" ? "cannot map owners on this file system" : "lacks an attribute of mounts";
    const why = isMissing ? `the kernel ${lacking}` : "the kernel refused";
    throw new EngineError(isMissing ? "unsupported" : "internal", `Prepare mounts: ${why}: ${error.stderr.trim()}`, {
      cause: error,
    });
  }
}
