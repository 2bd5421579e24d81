import { access } from "node:fs/promises";
import process from "node:process";
import { fileURLToPath } from "node:url";

/** The program that runs now, as far as it can be seen from inside. */
export interface RunningProgram {
  /** The runtime's own program. */
  readonly execPath: string;
  /** The path of the file that the runtime was given. */
  readonly script: string;
  /** The URL of this module, or of the one file that it was bundled into. */
  readonly module: string;
  readonly isDeno: boolean;
  /** Flags of Node that its features need. */
  readonly flags?: readonly string[];
  /** `deno compile` made one file of the program and Deno, which runs no other program. */
  readonly isCompiled?: boolean;
}

/** Returns the command that starts `serve` as this process was started: Deno with its module, or Node with its file. */
export async function serveProgram(running: RunningProgram = ownProgram()): Promise<string[]> {
  const { execPath, script, module, isDeno } = running;
  if (!isDeno) return [execPath, script, "serve"];
  // In one file with everything else there is no module beside this one: that file is the program.
  const cli = cliBeside(module);
  if (cli === undefined) return [execPath, "run", "-A", "--no-config", script, "serve"];
  return [...await denoCommand(execPath, cli), "serve"];
}

/**
 * Returns the command that starts the program `gantry` of this library, where this process runs a program of its own: the library's module,
 * or `gantry.mjs` beside the one file that it was bundled into. Undefined where there is neither.
 */
export async function libraryProgram(running: RunningProgram = ownProgram()): Promise<string[] | undefined> {
  const { execPath, module, isDeno, flags = [], isCompiled } = running;
  if (isCompiled) return undefined;
  const cli = cliBeside(module);
  if (cli !== undefined) {
    // A program that has the project's packages beside it has no need of Deno's own copies.
    if (isDeno) return await denoCommand(execPath, cli, await isThere(besideProject("node_modules", cli)));
    return cli.protocol === "file:" ? [execPath, ...flags, fileURLToPath(cli)] : undefined;
  }
  const bundle = new URL("gantry.mjs", module);
  if (bundle.protocol !== "file:" || !await isThere(fileURLToPath(bundle))) return undefined;
  return [execPath, ...isDeno ? ["run", "-A", "--no-config"] : flags, fileURLToPath(bundle)];
}

/** The module of the command line beside this one; undefined within one file with everything else. */
function cliBeside(module: string): URL | undefined {
  const [, ending] = /\/entries\/service\/serve_program(\.[jt]s)$/.exec(module) ?? [];
  return ending === undefined ? undefined : new URL(`../cli${ending}`, module);
}

async function denoCommand(execPath: string, cli: URL, hasPackages = false): Promise<string[]> {
  if (cli.protocol !== "file:") return [execPath, "run", "-A", cli.href];
  // In the project's own folder a configuration keeps Deno from asking for the packages of tests.
  const config = besideProject("scripts/serve/deno.json", cli);
  const isConfigured = !hasPackages && await isThere(config);
  return [execPath, "run", "-A", ...isConfigured ? [`--config=${config}`] : [], fileURLToPath(cli)];
}

/** The path of what the project has at its root, wherever the module of the command line is a file. */
function besideProject(name: string, cli: URL): string {
  return cli.protocol === "file:" ? fileURLToPath(new URL(`../../../${name}`, cli)) : "";
}

function isThere(path: string): Promise<boolean> {
  return access(path).then(() => true, () => false);
}

function ownProgram(): RunningProgram {
  const deno = (globalThis as { Deno?: { build?: { standalone?: boolean } } }).Deno;
  return {
    execPath: process.execPath,
    script: process.argv[1]!,
    module: import.meta.url,
    isDeno: deno !== undefined,
    flags: process.execArgv.filter((flag) => flag.startsWith("--experimental-")),
    isCompiled: deno?.build?.standalone === true,
  };
}
