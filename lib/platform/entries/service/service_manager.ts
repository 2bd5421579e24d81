/**
 * A service and the manager that started it: that it is ready, sd_notify(3), and whether the machine goes down.
 *
 * @module
 */
import { perlArguments, READY_PROGRAM } from "../../linux/perl/programs.ts";
import { runCommand } from "../../linux/helpers/command.ts";
import { messageOf } from "../../../oci/message_of.ts";
import type { Log } from "../../../engine/ports/log.ts";

/** The environment of a service, as far as its manager is concerned. */
type Environment = Readonly<Record<string, string | undefined>>;

/** Tells the manager that the server is ready. Nothing where none started it; a failure is logged. */
export async function tellReady({ NOTIFY_SOCKET }: Environment, log: Log): Promise<void> {
  if (!NOTIFY_SOCKET) return;
  try {
    await runCommand("perl", perlArguments(READY_PROGRAM, "Tell the service manager", [NOTIFY_SOCKET]));
  } catch (error) {
    log("warn", `Tell the service manager that the server is ready: ${messageOf(error)}`);
  }
}

/** The variables by which `systemctl --user` finds the user's manager. */
export function managerEnvironment({ XDG_RUNTIME_DIR }: Environment): Record<string, string> {
  return XDG_RUNTIME_DIR === undefined ? {} : { XDG_RUNTIME_DIR };
}

/** Whether the manager that started this service is ending everything: the machine goes down, or its user has left. */
export async function isGoingDown(environment: Environment, isUser: boolean): Promise<boolean> {
  if (!environment.NOTIFY_SOCKET) return false;
  const env = managerEnvironment(environment);
  // Any state but "running" is an exit code of its own.
  const accept = [0, 1, 2, 3, 4];
  const args = [...isUser ? ["--user"] : [], "is-system-running"];
  const state = await runCommand("systemctl", args, { env, accept, timeout: 5000 }).catch(() => undefined);
  return state?.stdout.trim() === "stopping";
}
