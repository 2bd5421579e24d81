/**
 * Lower folders of an overlay that are not the layers themselves. They are needed while it is mounted, and no longer: the
 * overlay holds on to what it was given.
 *
 * @module
 */
import { randomUUID } from "node:crypto";
import { mkdir, rm, rmdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { runCommand } from "../helpers/command.ts";
import type { HostContext } from "../helpers/context.ts";
import { unmount } from "../calls/libc.ts";
import { mapOwners } from "../mounts/mount_helper.ts";
import { namesIn } from "../helpers/tree.ts";
import { hasSystemCode } from "../../../oci/system_error.ts";

/** How the folders with mapped owners begin; no container's ID does. */
const MAPPED = "mapped-";

/** Runs with a link to a folder whose own name may hold what options of a mount cannot. */
export async function withLinkTo<T>(target: string, link: string, run: () => Promise<T>): Promise<T> {
  await rm(link, { force: true });
  await symlink(target, link);
  try {
    return await run();
  } finally {
    await rm(link, { force: true });
  }
}

/**
 * Runs with folders shown under numbers, in a folder of its own below `shared`, with their owners mapped as in a user
 * namespace. That folder is nowhere that is ever deleted as a whole: what it shows are layers.
 */
export async function withMappedOwners<T>(
  userns: string,
  sources: readonly string[],
  shared: string,
  run: (base: string, names: string[]) => Promise<T>,
): Promise<T> {
  const base = join(shared, `${MAPPED}${randomUUID()}`);
  const names = sources.map((_, index) => String(index));
  for (const name of names) await mkdir(join(base, name), { recursive: true, mode: 0o700 });
  try {
    await mapOwners(userns, sources.map((source, index) => ({ source, target: join(base, names[index]!) })));
    return await run(base, names);
  } finally {
    await takeAway(base);
  }
}

/** Runs with links under numbers, in a folder of their own below `shared`: overlays take short names from one folder. */
export async function withLinksTo<T>(
  targets: readonly string[],
  shared: string,
  run: (base: string, names: string[]) => Promise<T>,
): Promise<T> {
  const base = join(shared, `${MAPPED}${randomUUID()}`);
  const names = targets.map((_, index) => String(index));
  await mkdir(base, { recursive: true, mode: 0o700 });
  try {
    for (const [index, target] of targets.entries()) await symlink(target, join(base, names[index]!));
    return await run(base, names);
  } finally {
    await takeAway(base);
  }
}

/** Takes away what an earlier process has left shown below `shared`. */
export async function clearMappedOwners(shared: string, log: HostContext["log"]): Promise<void> {
  for (const name of await namesIn(shared)) {
    if (!name.startsWith(MAPPED)) continue;
    await takeAway(join(shared, name)).catch((error) => {
      log("warn", `Take away ${JSON.stringify(join(shared, name))}: ${error.message}`);
    });
  }
}

/** Never deletes but links and empty folders: one that is still mounted shows a layer. A mount of the same device is not told apart. */
async function takeAway(base: string): Promise<void> {
  for (const name of await namesIn(base)) {
    const folder = join(base, name);
    try {
      await rmdir(folder);
    } catch (error) {
      if (hasSystemCode(error, "ENOTDIR")) {
        await rm(folder, { force: true });
        continue;
      }
      if (!hasSystemCode(error, "EBUSY")) throw error;
      if (!await unmount(folder)) await runCommand("umount", ["--", folder]);
      await rmdir(folder);
    }
  }
  await rmdir(base).catch(() => {});
}
