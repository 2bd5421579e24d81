import process from "node:process";
import { messageOf } from "../../oci/message_of.ts";
import { doctorAsUser, doctorCommand } from "./doctor_command.ts";
import { needsUserNamespace, runAsUser } from "./run_as_user.ts";
import { makeServerLog } from "./server_log.ts";
import { serveCommand } from "./serve_command.ts";
import { parseServeOptions, USAGE } from "./serve_options.ts";
import { installService, servicePlace, uninstallService } from "./service/install_service.ts";
import { versionLines } from "./version_command.ts";

/** The help on the commands besides `serve`. */
const SERVICE_USAGE = `
Usage: gantry install [--user] [options of serve]
       gantry uninstall [--user]

Makes the server a service of systemd, started with the machine: gantry.socket and gantry.service. With --user they are units of the
user's own manager.
`;

const UNSHARE_USAGE = `
Usage: gantry unshare COMMAND...

Runs a command as root of the user namespace of this user's server: programs that open the engine of this host in their own process can
run containers there, and files that containers own can be changed.
`;

const FACTS_USAGE = `
Usage: gantry doctor
       gantry version

Doctor tells what works on this machine, what does not, and what to install; it exits with 1 where containers cannot run. Version prints
the version of this program, and those of its APIs.
`;

/**
 * Runs the command `gantry` with the arguments behind its name and resolves with the exit code: that of {@linkcode serveCommand} or
 * {@linkcode doctorCommand}, or 2 for a command that there is not. It installs nothing on the host but, with `install`, the service.
 */
export async function gantryCommand(args: readonly string[]): Promise<number> {
  const [command = "help", ...rest] = args;
  if (command === "serve") return await serveCommand(rest);
  if (command === "unshare") return await unshareCommand(rest);
  if (command === "install" || command === "uninstall") return await runService(command, rest);
  if (/^(help|-h|--help)$/.test(command)) {
    console.log(`${USAGE}${SERVICE_USAGE}${UNSHARE_USAGE}${FACTS_USAGE.trimEnd()}`);
  } else if (!/^(doctor|version|-v|--version)$/.test(command)) {
    return refuseCommand(`Run "${command}": the commands are serve, install, uninstall, unshare, doctor and version`);
  } else if (rest.some((arg) => arg === "-h" || arg === "--help")) console.log(FACTS_USAGE.trim());
  else if (rest.length > 0) return refuseCommand(`Run "${args.join(" ")}": "${command}" takes no options`);
  else if (command === "doctor") return await doctorAsUser() ?? await doctorCommand();
  else console.log(versionLines().join("\n"));
  return 0;
}

async function unshareCommand(command: readonly string[]): Promise<number> {
  if (command.length === 0 || /^(-h|--help)$/.test(command[0]!)) {
    console.log(UNSHARE_USAGE.trim());
    return command.length === 0 ? 2 : 0;
  }
  if (!needsUserNamespace()) return refuseCommand("Run unshare: only an ordinary user of Linux needs it");
  const { root, runroot, logLevel, logFormat } = parseServeOptions([], process.env);
  const log = makeServerLog({ level: logLevel, format: logFormat });
  const code = await runAsUser({ root, runroot }, command, log);
  return code ?? refuseCommand("Run unshare: this user can have no user namespace; gantry doctor says why");
}

function refuseCommand(why: string): number {
  console.error(`gantry: ${why}\nSee --help`);
  return 2;
}

async function runService(command: "install" | "uninstall", args: readonly string[]): Promise<number> {
  if (args.includes("--help") || args.includes("-h")) {
    console.log(SERVICE_USAGE.trim());
    return 0;
  }
  const isUser = args.includes("--user");
  try {
    const place = await servicePlace(isUser);
    if (command === "install") await installService(args.filter((arg) => arg !== "--user"), place);
    else await uninstallService(place);
    return 0;
  } catch (error) {
    console.error(`gantry: ${messageOf(error)}`);
    return error instanceof SyntaxError ? 2 : 1;
  }
}
