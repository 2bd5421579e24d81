/**
 * The OCI runtime that is driven: which one, and how it is called.
 *
 * @module
 */
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { EngineError } from "../../../../engine/errors.ts";
import { CommandError, runCommand } from "../../helpers/command.ts";
import type { HostContext } from "../../helpers/context.ts";
import { callNumbers } from "../../calls/system_calls.ts";
import { HIDE } from "../../perl/hide.pl.ts";
import { HYBRID } from "../../perl/hybrid.pl.ts";
import { findProgram } from "../../helpers/programs.ts";
import type { CgroupLayout } from "../../resources/cgroups.ts";
import type { Nursery } from "../nursery/nursery.ts";
import { runtimeFaults } from "./runtime_faults.ts";
import { runtimeError } from "./runtime_errors.ts";

/** The runtime in use. */
export interface Runtime {
  /** `crun`, `runc`, …: the file's name. */
  name: string;
  path: string;
  /** Its whole answer to `--version`. */
  version: string;
  /** The program executed for work on cgroups: the runtime, or a script that prepares the ground for it. */
  program: string;
  /** Arguments before every subcommand, after those of the script. */
  args: string[];
  /** The tree that the script hides from the runtime, whose path comes before `args`; empty where there is no script. */
  hidden: string;
  /** It can filter system calls. */
  filters: boolean;
}

/** The option of crun for containers without a cgroup. */
const NO_CGROUPS = "--cgroup-manager=disabled";
/** How long a start may take, its hooks included. */
const START_TIMEOUT = 60_000;

/** By preference: crun takes a third of the time that runc takes. */
export const RUNTIME_NAMES = ["crun", "runc"];

/**
 * Finds the runtime; `auto` takes the first there is. crun refuses a hybrid hierarchy, so that it runs where it does not see the
 * unified part.
 */
export async function openRuntime(context: HostContext, layout: CgroupLayout): Promise<Runtime> {
  const path = await chooseRuntime(context.runtime);
  const name = basename(path);
  const args = ["--root", context.paths.runtime];
  const version = await readRuntimeVersion(path, args).catch((error) => {
    throw new EngineError("unsupported", `Open runtime "${path}": ${(error as Error).message}`, { cause: error });
  });
  const wrap = layout.kind === "hybrid" && refusesHybrid(version);
  const program = wrap ? await writeWrapper(context.paths.runroot, path, layout.unified) : path;
  const faults = await runtimeFaults({ name, path, version });
  if (faults !== undefined) context.log("warn", faults);
  const runtime = {
    name,
    path,
    version,
    program,
    args,
    hidden: wrap ? layout.unified : "",
    filters: canFilter(name, version),
  };
  return layout.isForeign && name === "crun" ? withoutCgroups(runtime) : runtime;
}

/**
 * Returns its whole answer to `--version`. crun makes its folder first: without the argument for it that is one of the system's, which an
 * ordinary user may not make (crun 1.21 fails then), and which nobody removes.
 */
export async function readRuntimeVersion(path: string, args: Runtime["args"]): Promise<string> {
  const { stdout } = await runCommand(path, [...args, "--version"]);
  return stdout.trim();
}

/** Runs one of its commands on a container. Throws its message as an engine's error. */
export async function runRuntime(runtime: Runtime, command: string, args: readonly string[]): Promise<void> {
  // As long as there is memory to write.
  const timeout = command === "checkpoint" ? Infinity : undefined;
  const [program, ...before] = commandOf(runtime);
  await explainRuntime(runtime, runCommand(program, [...before, command, ...args], { timeout }));
}

/** The program of a runtime's work on cgroups, and its arguments before every subcommand. */
export function commandOf({ program, path, args, hidden }: Runtime): [string, ...string[]] {
  return hidden !== "" ? [program, path, ...args] : [program, ...args];
}

/** The runtime as it is called by another path. */
export function withPath(runtime: Runtime, path: string): Runtime {
  return runtime.hidden !== "" ? { ...runtime, path } : { ...runtime, path, program: path };
}

/** Has it start a container's process. Throws as {@linkcode runRuntime} does. */
export async function startWith(runtime: Runtime, nursery: Nursery, containerID: string): Promise<void> {
  // A start looks at no cgroup.
  await explainRuntime(
    runtime,
    nursery.run(runtime.path, [...runtime.args, "start", containerID], START_TIMEOUT),
    true,
  );
}

async function explainRuntime(runtime: Runtime, work: Promise<unknown>, runsCommand = false): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!(error instanceof CommandError) || error.code < 0) throw error;
    throw runtimeError(runtime.name, error.stderr, runsCommand);
  }
}

/** The runtime as it is called for a container that gets no cgroup. */
export function withoutCgroups(runtime: Runtime): Runtime {
  if (runtime.args.includes(NO_CGROUPS)) return runtime;
  return { ...runtime, args: [...runtime.args, NO_CGROUPS] };
}

/** The error of a container that is to have a filter for its system calls, and would not get it. */
export function withoutFilter({ path }: Runtime): EngineError {
  return new EngineError("unsupported", `Filter system calls: runtime "${path}" was built without seccomp`);
}

async function chooseRuntime(wanted: string): Promise<string> {
  const names = wanted === "auto" ? RUNTIME_NAMES : [wanted];
  for (const name of names) {
    const path = name.includes("/") ? name : await findProgram(name);
    if (path !== undefined) return path;
  }
  throw new EngineError("unsupported", `Open runtime: found none of ${names.join(", ")}`);
}

/** Whether it was built with libseccomp: crun that was not passes over the rules in silence. */
export function canFilter(name: string, version: string): boolean {
  if (name === "crun") return version.includes("+SECCOMP");
  return name === "runc" ? /^libseccomp: /m.test(version) : true;
}

/** crun before 1.9 refuses every hybrid hierarchy, and a later one those whose second version has a controller (`hugetlb`, say). */
function refusesHybrid(version: string): boolean {
  return version.startsWith("crun version ");
}

/** Writes a program that is called as the runtime is, with its path before, and starts it as `hybrid.pl` says. */
async function writeWrapper(runroot: string, runtime: string, unified: string): Promise<string> {
  const folder = join(runroot, "bin");
  const path = join(folder, `${basename(runtime)}-hybrid`);
  const quote = (text: string) => `'${text.replace(/[\\']/g, "\\$&")}'`;
  const { unshare, mount } = callNumbers("Open host", ["unshare", "mount"]);
  const settings = [unshare, mount, quote(unified), "@ARGV"].join(", ");
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeFile(path, `#!${await findProgram("perl")}\n@ARGV = (${settings});${HIDE}${HYBRID}`);
  await chmod(path, 0o700);
  return path;
}
