import process from "node:process";
import { parseServeOptions } from "../serve_options.ts";
import { makeServerLog } from "../server_log.ts";
import { needsUserNamespace, runAsUser } from "./run_as_user.ts";

/** The help on `gantry unshare`. */
export const UNSHARE_USAGE = `
Usage: gantry unshare COMMAND...

Runs a command as root of the user namespace of this user's server: programs that open the engine of this host in their own process can
run containers there, and files that containers own can be changed.
`;

/** Runs `gantry unshare` with its arguments, and resolves with the exit code: that of the command, or 2 where it cannot be run. */
export async function unshareCommand(command: readonly string[]): Promise<number> {
  if (command.length === 0 || /^(-h|--help)$/.test(command[0]!)) {
    console.log(UNSHARE_USAGE.trim());
    return command.length === 0 ? 2 : 0;
  }
  if (!needsUserNamespace()) {
    console.error("gantry: Run unshare: only an ordinary user of Linux needs it");
    return 2;
  }
  const { root, runroot, logLevel, logFormat } = parseServeOptions([], process.env);
  const log = makeServerLog({ level: logLevel, format: logFormat });
  const code = await runAsUser({ root, runroot }, command, log);
  if (code === undefined) {
    console.error("gantry: Run unshare: this user can have no user namespace; gantry doctor says why");
  }
  return code ?? 2;
}
