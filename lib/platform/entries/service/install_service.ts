/**
 * `gantry install` and `gantry uninstall`: the server as a service of systemd.
 *
 * @module
 */
import { access, mkdir, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { CommandError, runCommand } from "../../linux/helpers/command.ts";
import { parseServeOptions } from "../serve_options.ts";
import { serveProgram } from "./serve_program.ts";
import { managerEnvironment } from "./service_manager.ts";
import { SERVICE, serviceUnits, SOCKET } from "./service_units.ts";

/** The place and the manager of the units; a test has its own. */
export interface ServicePlace {
  /** The folder of the units. */
  folder: string;
  /** Runs `systemctl` with arguments. Throws where it fails. */
  systemctl(...args: string[]): Promise<unknown>;
  /** The command that starts `serve`, up to its options. */
  command: readonly string[];
  home: string;
  isUser: boolean;
  /** Prints a line for the user. */
  tell(line: string): void;
}

/** Returns the place of this machine's units. Throws `Error` where systemd does not run it. */
export async function servicePlace(isUser: boolean): Promise<ServicePlace> {
  const isBooted = await access("/run/systemd/system").then(() => true, () => false);
  if (!isBooted) {
    throw new Error("Find the service's manager: systemd does not run this machine; gantry serve works without it");
  }
  const config = process.env.XDG_CONFIG_HOME || join(homedir(), ".config");
  const scope = isUser ? ["--user"] : [];
  const env = managerEnvironment(process.env);
  return {
    folder: isUser ? join(config, "systemd", "user") : "/etc/systemd/system",
    systemctl: async (...args) => {
      try {
        await runCommand("systemctl", [...scope, ...args], { env, timeout: Infinity });
      } catch (error) {
        if (!(error instanceof CommandError)) throw error;
        throw new Error(`systemctl ${args.join(" ")}: ${error.stderr.trim() || error.message}`, { cause: error });
      }
    },
    command: await serveProgram(),
    home: homedir(),
    isUser,
    tell: (line) => console.error(line),
  };
}

/**
 * Writes the units, enables them, and starts the server. The arguments are options of `serve`, which are checked first; those it has
 * already are replaced.
 *
 * @throws {SyntaxError} for options that are wrong, and for `--listen`: the socket is systemd's
 */
export async function installService(args: readonly string[], place: ServicePlace): Promise<void> {
  const { runroot, listen } = parseServeOptions(args, {});
  const socket = join(runroot, "gantry.sock");
  if (listen.length !== 1 || listen[0] !== `unix://${socket}`) {
    throw new SyntaxError(
      `Read options: a service has no --listen: its socket is ${socket}, and --runroot puts it elsewhere`,
    );
  }
  const { folder, command, home, isUser, tell } = place;
  await mkdir(folder, { recursive: true });
  for (const [name, text] of serviceUnits({ command, args, socket, home, isUser })) {
    await writeFile(join(folder, name), text);
    tell(`wrote ${join(folder, name)}`);
  }
  await place.systemctl("daemon-reload");
  await place.systemctl("enable", SOCKET, SERVICE);
  // A server that ran with older units goes on with these.
  await place.systemctl("restart", SOCKET, SERVICE);
  tell(`the server runs at ${socket}; "systemctl${isUser ? " --user" : ""} status ${SERVICE}" tells how it is`);
  if (command.some((word) => word.includes("/_npx/"))) {
    tell(
      "its program is in npx's cache, which npm may empty: install Deno or Node for good, and install the service again",
    );
  }
}

/** Stops the server, which leaves containers running, and removes the units. None is no error. */
export async function uninstallService({ folder, systemctl, tell }: ServicePlace): Promise<void> {
  for (const name of [SERVICE, SOCKET]) {
    const path = join(folder, name);
    if (!await access(path).then(() => true, () => false)) continue;
    await systemctl("disable", "--now", name);
    await rm(path);
    tell(`removed ${path}`);
  }
  await systemctl("daemon-reload");
  tell("images, volumes and containers stay; containers that run go on");
}
