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
}

/** Returns the command that starts `serve` as this process was started: Deno with its module, or Node with its file. */
export async function serveProgram(running: RunningProgram = ownProgram()): Promise<string[]> {
  const { execPath, script, module, isDeno } = running;
  if (!isDeno) return [execPath, script, "serve"];
  // In one file with everything else there is no module beside this one: that file is the program.
  const [, ending] = /\/entries\/service\/serve_program(\.[jt]s)$/.exec(module) ?? [];
  if (ending === undefined) return [execPath, "run", "-A", "--no-config", script, "serve"];
  const cli = new URL(`../cli${ending}`, module);
  if (cli.protocol !== "file:") return [execPath, "run", "-A", cli.href, "serve"];
  // In the project's own folder a configuration keeps Deno from asking for the packages of tests.
  const config = fileURLToPath(new URL("../../../../scripts/serve/deno.json", module));
  const isProject = await access(config).then(() => true, () => false);
  return [execPath, "run", "-A", ...isProject ? [`--config=${config}`] : [], fileURLToPath(cli), "serve"];
}

function ownProgram(): RunningProgram {
  return {
    execPath: process.execPath,
    script: process.argv[1]!,
    module: import.meta.url,
    isDeno: "Deno" in globalThis,
  };
}
