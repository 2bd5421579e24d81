import { messageOf } from "../../oci/message_of.ts";
import { serveCommand } from "./serve_command.ts";
import { USAGE } from "./serve_options.ts";
import { installService, servicePlace, uninstallService } from "./service/install_service.ts";

/** The help on the commands besides `serve`. */
const SERVICE_USAGE = `
Usage: gantry install [--user] [options of serve]
       gantry uninstall [--user]

Makes the server a service of systemd, started with the machine: gantry.socket and gantry.service. With --user they are units of the
user's own manager.
`;

/**
 * Runs the command `gantry` with the arguments behind its name and resolves with the exit code: that of {@linkcode serveCommand}, or 2
 * for a command that there is not. It installs nothing on the host.
 */
export async function gantryCommand(args: readonly string[]): Promise<number> {
  const [command, ...rest] = args;
  if (command === "serve") return await serveCommand(rest);
  if (command === "install" || command === "uninstall") return await runService(command, rest);
  const isHelp = command === undefined || /^(help|-h|--help)$/.test(command);
  if (isHelp) console.log(`${USAGE}${SERVICE_USAGE.trimEnd()}`);
  else console.error(`gantry: Run "${command}": the commands are serve, install and uninstall\nSee --help`);
  return isHelp ? 0 : 2;
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
