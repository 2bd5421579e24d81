import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ownCommand } from "../../linux/rootless/user_namespace.ts";
import { needsUserNamespace, runAsUser } from "./run_as_user.ts";

/**
 * Runs `gantry doctor` again in a user namespace that is made for it, where this process's user needs one, and resolves with its exit
 * code; with undefined where the user needs none or can have none.
 */
export async function doctorAsUser(): Promise<number | undefined> {
  if (!needsUserNamespace()) return undefined;
  const folder = await mkdtemp(join(tmpdir(), "gantry-doctor-"));
  try {
    return await runAsUser(
      { root: folder, runroot: join(folder, "run") },
      await ownCommand(),
      (_, text) => console.error(`gantry: ${text}`),
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
