/**
 * The help on every part of the command `gantry`.
 *
 * @module
 */
import { DIAL_USAGE } from "./gateway/dial_stdio_command.ts";
import { GATEWAY_USAGE } from "./gateway/gateway_options.ts";
import { RESET_USAGE } from "./reset/reset_command.ts";
import { USAGE } from "./start/usage.ts";
import { UNSHARE_USAGE } from "./user/unshare_command.ts";

/** The help on `install` and `uninstall`. */
export const SERVICE_USAGE = `
Usage: gantry install [--user] [options of serve]
       gantry uninstall [--user]

Makes the server a service of systemd, started with the machine: gantry.socket and gantry.service. With --user they are units of the
user's own manager.
`;

/** The help on `doctor` and `version`. */
export const FACTS_USAGE = `
Usage: gantry doctor
       gantry version

Doctor tells what works on this machine, what does not, and what to install; it exits with 1 where containers cannot run. Version prints
the version of this program, and those of its APIs.
`;

/** The commands, each with what it does in a few words. */
const COMMANDS: Record<string, string> = {
  "serve": "Serves a container engine over HTTP, with the API of Podman and Docker",
  "gateway": "Passes requests on to an engine, from TCP with TLS or a token",
  "dial-stdio": "Joins standard input and output to an engine's socket, for Docker's contexts through SSH",
  "install": "Makes the server a service of systemd",
  "uninstall": "Removes that service; containers, images and volumes stay",
  "reset": "Removes all containers, images, volumes and records of a root",
  "unshare": "Runs a command as root of this user's namespace",
  "doctor": "Tells what works on this machine, what does not, and what to install",
  "version": "Prints the versions of this program and of its APIs",
};

/** The names of the commands, as a list in an English sentence. */
export const COMMAND_NAMES = Object.keys(COMMANDS).join(", ").replace(/, (?=[^,]*$)/, " and ");

/** The help on the command as a whole, which `gantry`, `gantry help` and `gantry --help` print. */
export const OVERVIEW = `Usage: gantry COMMAND [options]

Commands:
${Object.entries(COMMANDS).map(([name, text]) => `  ${name.padEnd(12)}${text}`).join("\n")}

"gantry COMMAND --help" explains a command and lists its options.
`;

/** The texts in the order of the manual page, by the names of their commands. */
export function helpTexts(): { name: string; text: string }[] {
  return [
    { name: "serve", text: USAGE },
    { name: "gateway", text: GATEWAY_USAGE },
    { name: "dial-stdio", text: DIAL_USAGE },
    { name: "install|uninstall", text: SERVICE_USAGE },
    { name: "reset", text: RESET_USAGE },
    { name: "unshare", text: UNSHARE_USAGE },
    { name: "doctor|version", text: FACTS_USAGE },
  ];
}
