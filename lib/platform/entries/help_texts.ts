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

/** The texts in the order of `gantry help`, by the names of their commands. */
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
