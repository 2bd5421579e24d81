/**
 * The one place that starts programs.
 *
 * Under Deno a program inherits sockets of the server unless they are marked before (see `closeOnExec()`), and it inherits the
 * whole environment unless it is given one. Both are forgotten easily, so no other file calls `spawn()` of `node:child_process`.
 *
 * @module
 */
import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn, type SpawnOptions } from "node:child_process";
import process from "node:process";
import { closeOnExec } from "../calls/libc.ts";

/** The folders in which helpers and supervisors look for programs, whatever the server's own `PATH` is. */
const SYSTEM_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** The environment of helpers: nothing of the server's own. */
export const HELPER_ENVIRONMENT = { PATH: SYSTEM_PATH, LC_ALL: "C" };

/**
 * The folders in which programs are looked for: those of the server's `PATH`, and then the system's, which `PATH` may lack: that of an
 * ordinary user of Debian has no `sbin`, and sudo(8) and service managers leave folders out, too.
 */
export function programFolders(): string[] {
  const own = (process.env.PATH ?? "").split(":").filter((folder) => folder !== "");
  return [...new Set([...own, ...SYSTEM_PATH.split(":")])];
}

/**
 * Starts a program. Without `env` it gets the server's `PATH` and nothing else of its environment, which may hold a token;
 * its messages are untranslated, since callers read them.
 */
export function startProgram(program: string, args: readonly string[], options: SpawnOptions): ChildProcess {
  closeOnExec();
  return spawn(program, args, { env: { PATH: programFolders().join(":"), LC_ALL: "C" }, ...options });
}

/** Starts a program with a pipe for each of its standard streams, as {@linkcode startProgram} does. */
export function startPipedProgram(
  program: string,
  args: readonly string[],
  options: Omit<SpawnOptions, "stdio"> = {},
): ChildProcessWithoutNullStreams {
  // The streams of the type are there, because all three are requested as pipes.
  return startProgram(program, args, { ...options, stdio: "pipe" }) as ChildProcessWithoutNullStreams;
}
