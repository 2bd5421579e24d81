import { serveCommand } from "./serve_command.ts";
import { USAGE } from "./serve_options.ts";

/**
 * Runs the command `gantry` with the arguments behind its name and resolves with the exit code: that of {@linkcode serveCommand}, or 2
 * for a command that there is not. It installs nothing on the host.
 */
export async function gantryCommand(args: readonly string[]): Promise<number> {
  const [command, ...rest] = args;
  if (command === "serve") return await serveCommand(rest);
  const isHelp = command === undefined || /^(help|-h|--help)$/.test(command);
  if (isHelp) console.log(USAGE.trimEnd());
  else console.error(`gantry: Run "${command}": the only command is serve\nSee --help`);
  return isHelp ? 0 : 2;
}
