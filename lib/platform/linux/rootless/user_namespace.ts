/**
 * The user namespace in which an ordinary user's server is root: it can mount and make namespaces there, and for everything outside it
 * is still the user.
 *
 * @module
 */
import type { ChildProcess, SpawnOptions } from "node:child_process";
import { once } from "node:events";
import { access, constants, mkdir, readFile, realpath } from "node:fs/promises";
import { dirname, join } from "node:path";
import process from "node:process";
import { EngineError } from "../../../engine/errors.ts";
import type { Log } from "../../../engine/ports/log.ts";
import type { IDRange } from "../../../engine/ports/user_port.ts";
import { messageOf } from "../../../oci/message_of.ts";
import { CommandError, runCommand } from "../helpers/command.ts";
import { processesNamed } from "../helpers/proc.ts";
import { findProgram } from "../helpers/programs.ts";
import { startProgram } from "../helpers/spawn.ts";
import { perlArguments, UNSHARE_PROGRAM } from "../perl/programs.ts";
import { checkFolder } from "../../storage/safe_folder.ts";
import { namespaceObstacle, readNamespaceFacts } from "./obstacles.ts";
import { outerUser } from "./outer_user.ts";

const TASK = "Make user namespace";
/** Signals that a terminal or a service's manager sends to the first process. */
const SIGNALS = ["SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT"] as const;
/** The first descriptor that a manager passes on. */
const FIRST_PASSED = 3;

/**
 * Makes the user namespace of a runroot where there is none yet, and a process that keeps it. Throws
 * `EngineError("unsupported")` where this user can have none, with the reason in one line.
 */
export async function makeUserNamespace(runroot: string, log: Log): Promise<void> {
  const uid = outerUser();
  const facts = await readNamespaceFacts(uid);
  const obstacle = namespaceObstacle(facts);
  if (obstacle !== undefined) throw new EngineError("unsupported", `${TASK}: ${obstacle}`);
  await mkdir(dirname(noteOf(runroot)), { recursive: true, mode: 0o711 });
  await checkFolder(runroot);
  const { uids, gids } = facts.subordinate;
  const maps = [mapArguments(uid, uids), mapArguments(process.getgid?.() ?? uid, gids)];
  try {
    const args = perlArguments(UNSHARE_PROGRAM, TASK, ["make", noteOf(runroot), ...maps]);
    const { stdout } = await runCommand("perl", args);
    await connectBridges(Number(stdout), `${noteOf(runroot)}.pasta`).catch((error) => {
      log("warn", `Connect bridges: containers reach each other, and nothing outside: ${messageOf(error)}`);
    });
  } catch (error) {
    const why = error instanceof CommandError ? error.stderr.trim().replaceAll("\n", "; ") : "";
    throw new EngineError("unsupported", `${TASK}: ${why || messageOf(error)}`, { cause: error });
  }
}

/**
 * Starts a program as root of the runroot's user namespace, in a process group of its own. It gets SIGTERM when this process ends,
 * however that comes.
 */
export function startInside(
  runroot: string,
  command: readonly string[],
  options: Pick<SpawnOptions, "env" | "stdio">,
): ChildProcess {
  const args = perlArguments(UNSHARE_PROGRAM, TASK, ["enter", noteOf(runroot), String(process.pid), ...command]);
  return startProgram("perl", args, options);
}

/**
 * Runs a program as root of the runroot's user namespace, on this process's standard streams, and hands signals on to it. Resolves
 * with its exit code.
 *
 * @param passed How many sockets that the service's manager passed on it gets
 */
export async function runInside(
  runroot: string,
  command: readonly string[],
  { env = process.env, passed = 0 }: { env?: Record<string, string | undefined>; passed?: number } = {},
): Promise<number> {
  const sockets = Array.from({ length: passed }, (_, index) => FIRST_PASSED + index);
  const child = startInside(runroot, command, { env, stdio: ["inherit", "inherit", "inherit", ...sockets] });
  // Deno takes a child that its kill() has sent a signal for one that ended by it (seen with 2.9.6).
  const hand = (signal: NodeJS.Signals) => void (child.pid !== undefined && process.kill(child.pid, signal));
  const handlers = SIGNALS.map((signal) => [signal, () => hand(signal)] as const);
  for (const [signal, handler] of handlers) process.on(signal, handler);
  try {
    const [code, signal] = await once(child, "exit") as [number | null, string | null];
    return code ?? (signal === "SIGINT" ? 130 : 1);
  } finally {
    for (const [signal, handler] of handlers) process.off(signal, handler);
  }
}

/** Ends the process that keeps the user namespace of a runroot, unless containers or a server are in it. */
export async function leaveUserNamespace(runroot: string): Promise<void> {
  await runCommand("perl", perlArguments(UNSHARE_PROGRAM, TASK, ["leave", noteOf(runroot)]));
}

/**
 * Connects the network of bridges to that of the machine by pasta(1), unless that is done: connections of containers become this
 * user's. They do not reach the machine's loopback.
 *
 * @param keeper The process that keeps the network's namespace
 * @param note The file that gets the number of pasta's process
 */
async function connectBridges(keeper: number, note: string): Promise<void> {
  const known = Number(await readFile(note, "utf8").catch(() => "0"));
  // It may run under the name of passt, with that of a processor.
  if (processesNamed(/^pass?ta?/).includes(known)) return;
  if (await findProgram("pasta") === undefined) throw new Error("pasta is missing: install passt");
  await access("/dev/net/tun", constants.R_OK | constants.W_OK);
  const closed = ["-t", "none", "-u", "none", "-T", "none", "-U", "none", "--no-map-gw"];
  await runCommand("pasta", ["--config-net", "--quiet", ...closed, "--pid", note, String(keeper)]);
}

/** The command line of this process, with the whole path of its program. */
export async function ownCommand(): Promise<string[]> {
  const [, ...args] = (await readFile("/proc/self/cmdline", "utf8")).split("\0").slice(0, -1);
  return [await realpath("/proc/self/exe"), ...args];
}

/** The note with the process that keeps the user namespace. */
function noteOf(runroot: string): string {
  return join(runroot, "user-namespace");
}

/** The arguments of newuidmap(1): the user is root inside, and its subordinate IDs follow. */
function mapArguments(own: number, ranges: readonly IDRange[]): string {
  const parts = [0, own, 1];
  let next = 1;
  for (const { host, size } of ranges) {
    parts.push(next, host, size);
    next += size;
  }
  return parts.join(" ");
}
