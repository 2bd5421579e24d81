import { messageOf } from "../../oci/message_of.ts";
import { doctorCommand } from "./doctor_command.ts";
import { dialCommand, isDial } from "./gateway/dial_stdio_command.ts";
import { gatewayCommand } from "./gateway/gateway_command.ts";
import { COMMAND_NAMES, FACTS_USAGE, OVERVIEW, SERVICE_USAGE } from "./help_texts.ts";
import { resetCommand } from "./reset/reset_command.ts";
import { serveCommand } from "./serve_command.ts";
import { installService, servicePlace, uninstallService } from "./service/install_service.ts";
import { doctorAsUser } from "./user/doctor_as_user.ts";
import { ENGINE_COMMAND, runEngineProcess } from "./user/engine_process.ts";
import { unshareCommand } from "./user/unshare_command.ts";
import { versionLines } from "./version_command.ts";

/**
 * Runs the command `gantry` with the arguments behind its name and resolves with the exit code: that of {@linkcode serveCommand} or
 * {@linkcode doctorCommand}, or 2 for a command that there is not. It installs nothing on the host but, with `install`, the service.
 */
export async function gantryCommand(args: readonly string[]): Promise<number> {
  const [command = "help", ...rest] = args;
  if (command === "serve") return await serveCommand(rest);
  if (isDial(args)) return await dialCommand(args);
  if (command === "gateway") return await gatewayCommand(rest);
  if (command === "reset") return await resetCommand(rest);
  if (command === ENGINE_COMMAND && rest.length === 0) return await runEngineProcess();
  if (command === "unshare") return await unshareCommand(rest);
  if (command === "install" || command === "uninstall") return await runService(command, rest);
  if (/^(help|-h|--help)$/.test(command)) console.log(OVERVIEW.trim());
  else if (!/^(doctor|version|-v|--version)$/.test(command)) {
    return refuseCommand(`Run "${command}": the commands are ${COMMAND_NAMES}`);
  } else if (rest.some((arg) => arg === "-h" || arg === "--help")) console.log(FACTS_USAGE.trim());
  else if (rest.length > 0) return refuseCommand(`Run "${args.join(" ")}": "${command}" takes no options`);
  else if (command === "doctor") return await doctorAsUser() ?? await doctorCommand();
  else console.log(versionLines().join("\n"));
  return 0;
}

function refuseCommand(why: string): number {
  console.error(`gantry: ${why}; see --help`);
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
