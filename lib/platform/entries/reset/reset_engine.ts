import { lstat, readdir, rm, rmdir } from "node:fs/promises";
import { join } from "node:path";
import { EngineError } from "../../../engine/errors.ts";
import type { Engine } from "../../../engine/engine.ts";
import { DEFAULT_NETWORK } from "../../../engine/networks/networks.ts";
import { unmountBelow } from "../../linux/mounts/mounts_below.ts";
import { messageOf } from "../../../oci/message_of.ts";

/** The folders that a reset empties. */
export interface ResetFolders {
  readonly root: string;
  readonly runroot: string;
}

/** The number of things that were removed, by their kind. */
export type ResetCounts = Readonly<Record<"containers" | "pods" | "networks" | "volumes" | "images", number>>;

/** The names that a server makes in its root. Anything else there is somebody else's, and stays. */
const ROOT_NAMES = /^(gantry\.db.*|blobs|layers|containers|volumes|logs|networks|sources|bridges|quadlets)$/;

/** Counts everything that a reset would remove. */
export function countAll({ containers, pods, networks, volumes, images }: Engine): ResetCounts {
  return {
    containers: containers.list().length,
    pods: pods.list().length,
    networks: networks.list().filter(({ name }) => name !== DEFAULT_NETWORK).length,
    volumes: volumes.list().length,
    images: images.list().length,
  };
}

/**
 * Removes what has a place outside of the root: containers with their mounts, processes and addresses, bridges of networks, and volumes of
 * drivers. Resolves with one line for each thing that could not be removed.
 */
export async function removeAll({ containers, pods, networks, volumes }: Engine): Promise<string[]> {
  const failures: string[] = [];
  const attempt = async (what: string, work: () => Promise<unknown>) => {
    try {
      await work();
    } catch (error) {
      // It went with another.
      if (!(error instanceof EngineError && error.code.startsWith("no_such_"))) {
        failures.push(`${what}: ${messageOf(error)}`);
      }
    }
  };
  const kill = { force: true, timeout: 0 };
  for (const { id, name } of pods.list()) await attempt(`Remove pod ${name}`, () => pods.remove(id, kill));
  await Promise.all(
    containers.list().map(({ id, name }) =>
      attempt(`Remove container ${name}`, async () => {
        const reports = await containers.remove(id, { ...kill, ignore: true, volumes: true, depend: true });
        for (const { error } of reports) if (error !== undefined) throw error;
      })
    ),
  );
  for (const { name } of volumes.list()) {
    await attempt(`Remove volume ${name}`, () => volumes.remove(name, { force: true, timeout: 0 }));
  }
  for (const { name } of networks.list()) {
    if (name !== DEFAULT_NETWORK) await attempt(`Remove network ${name}`, () => networks.remove(name, () => {}));
  }
  return failures;
}

/**
 * Deletes the files of a root and its runroot, once no engine has them open. Resolves with the names in the root that are not a server's.
 *
 * @throws {Error} where something stays mounted; the records are still there then, so that it can be tried again
 */
export async function deleteFolders({ root, runroot }: ResetFolders): Promise<string[]> {
  const names = await readdir(root);
  const own = names.filter((name) => ROOT_NAMES.test(name));
  // The records come last.
  const ordered = [...own.filter((name) => !isRecords(name)), ...own.filter(isRecords)];
  await deleteTree(runroot);
  for (const name of ordered) await deleteTree(join(root, name));
  const kept = names.filter((name) => !ROOT_NAMES.test(name));
  // The root may be a mount, or a folder that others look after.
  if (kept.length === 0) await rmdir(root).catch(() => {});
  return kept;
}

async function deleteTree(path: string): Promise<void> {
  await unmountBelow(path);
  await rm(path, { recursive: true, force: true });
}

function isRecords(name: string): boolean {
  return name.startsWith("gantry.db");
}

/** Whether a server has had a root. */
export async function isRoot(root: string): Promise<boolean> {
  return await lstat(join(root, "gantry.db")).then((found) => found.isFile(), () => false);
}
