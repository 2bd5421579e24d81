import process from "node:process";
import { EngineError } from "../../../engine/errors.ts";
import type { Log } from "../../../engine/ports/log.ts";
import { messageOf } from "../../../oci/message_of.ts";
import { leaveUserNamespace, makeUserNamespace, runInside } from "../../linux/rootless/user_namespace.ts";
import { makeSafeFolder } from "../../storage/safe_folder.ts";
import type { ServeOptions } from "../serve_options.ts";
import { startStep } from "../start/start_failure.ts";

/** Whether this process has to be run again in a user namespace, since its user is not root. */
export function needsUserNamespace(): boolean {
  return process.platform === "linux" && process.getuid?.() !== 0;
}

/**
 * Makes the folders of a root and the user namespace of its runroot, and resolves with whether there is one: with `false` where this user
 * can have none, since an engine works without containers, too.
 */
export async function prepareNamespace(
  { root, runroot }: Pick<ServeOptions, "root" | "runroot">,
  log: Log,
): Promise<boolean> {
  try {
    await startStep(
      { text: `Open root "${root}" and runroot "${runroot}"`, option: "--root or --runroot" },
      async () => {
        // Inside the namespace other users of the machine cannot be told from its root.
        await makeSafeFolder(root, 0o711);
        await makeUserNamespace(runroot, log);
      },
    );
    return true;
  } catch (error) {
    if (!(error instanceof EngineError) || error.code !== "unsupported") throw error;
    // An obstacle that can be seen without trying is told of when the engine opens.
    if (error.cause !== undefined) log("warn", `Containers cannot run: ${messageOf(error)}`);
    return false;
  }
}

/** Takes the user namespace of a runroot away, unless containers or another server are in it. */
export async function endNamespace(runroot: string, log: Log): Promise<void> {
  await leaveUserNamespace(runroot).catch((error) => log("warn", `End user namespace: ${messageOf(error)}`));
}

/**
 * Runs a command in the user namespace of a runroot and resolves with its exit code; with undefined where this user can have no
 * such namespace.
 */
export async function runAsUser(
  folders: Pick<ServeOptions, "root" | "runroot">,
  command: readonly string[],
  log: Log,
): Promise<number | undefined> {
  try {
    if (!await prepareNamespace(folders, log)) return undefined;
  } catch (error) {
    console.error(`gantry: ${messageOf(error)}`);
    return 1;
  }
  try {
    const passed = Number(process.env.LISTEN_FDS ?? 0);
    return await runInside(folders.runroot, command, { passed });
  } finally {
    await endNamespace(folders.runroot, log);
  }
}
