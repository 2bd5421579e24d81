import { doctorCommand } from "./doctor_command.ts";
import { serveCommand } from "./serve_command.ts";
import { USAGE } from "./serve_options.ts";
import { versionLines } from "./version_command.ts";

/** The commands and what each does, as `--help` prints them. */
const COMMANDS = `Commands: gantry serve     serves a container engine; see below
          gantry doctor    tells what works on this machine, what does not, and what to install
          gantry version   prints this program's version, and those of its APIs
`;

/**
 * Runs the command `gantry` with the arguments behind its name and resolves with the exit code: that of {@linkcode serveCommand} or
 * {@linkcode doctorCommand}, or 2 for a command that there is not. It installs nothing on the host.
 */
export async function gantryCommand(args: readonly string[]): Promise<number> {
  const [command, ...rest] = args;
  if (command === "serve") return await serveCommand(rest);
  const isHelp = command === undefined || /^(help|-h|--help)$/.test(command) ||
    rest.some((arg) => /^(-h|--help)$/.test(arg));
  if (isHelp) console.log(`${USAGE.trimEnd()}\n\n${COMMANDS.trimEnd()}`);
  else if (rest.length > 0) return refuseCommand(`Run "${args.join(" ")}": "${command}" takes no options`);
  else if (command === "doctor") return await doctorCommand();
  else if (/^(version|-v|--version)$/.test(command)) console.log(versionLines().join("\n"));
  else return refuseCommand(`Run "${command}": the commands are serve, doctor and version`);
  return 0;
}

function refuseCommand(why: string): number {
  console.error(`gantry: ${why}\nSee --help`);
  return 2;
}
