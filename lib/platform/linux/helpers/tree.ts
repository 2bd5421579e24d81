/**
 * Work on whole folder trees. A container can make its tree as deep and as wide as it likes: programs walk a large one, and
 * this process keeps nothing of it.
 *
 * @module
 */
import { existsSync, lstatSync } from "node:fs";
import { lstat, mkdir, readdir, rename, unlink } from "node:fs/promises";
import { randomUUID } from "node:crypto";
import { EngineError } from "../../../engine/errors.ts";
import { isRootless } from "../rootless/outer_user.ts";
import { CommandError, runCommand } from "./command.ts";
import type { HostContext } from "./context.ts";
import { pathsWithMounts, unmountBelow } from "../mounts/mounts_below.ts";
import { MOST_BYTES, removeSmall, sizeOfSmall } from "./small_tree.ts";
import { hasSystemCode } from "../../../oci/system_error.ts";

/** The trees that one program measures: their paths are arguments, which are bounded. */
const TREES_AT_ONCE = 250;

/** The trees of which this process walks the small ones. */
const FEW_TREES = 32;

/** Milliseconds for which this process walks trees itself: about as long as the start of a program takes. */
const WALK = 4;

/** How trees are deleted. */
export interface RemoveOptions {
  /** Ends the work between two files. The next deletion of the tree removes the rest. */
  signal?: AbortSignal;
}

/** How folders of the server's own are made. */
export interface MakeOptions {
  mode: number;
  /** Whether the folders in it have nothing to do with one another; a file system may spread them over the disk then. */
  isTop?: boolean;
  log: HostContext["log"];
}

/**
 * Deletes a tree of any depth and size, never following links. Mounts in it are unmounted first and never entered;
 * marks that forbid a deletion (immutable, append only) are taken off. Missing is no error.
 *
 * @throws {EngineError} `internal`, with the first path that stays and the reason; for an ordinary user's server it says what to do about
 * files of the machine's root
 */
export async function removeTree(path: string, { signal }: RemoveOptions = {}): Promise<void> {
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return;
  await unmountBelow(path);
  const remove = () => {
    return runCommand("rm", ["-rf", "--one-file-system", "--", path], { timeout: Infinity, signal });
  };
  try {
    await remove();
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    // Deep trees have paths that no program takes: it is run in each folder, with the names in there.
    const clear = ["-execdir", "chattr", "-f", "-i", "-a", "--", "{}", "+"];
    await runCommand("find", ["-P", path, "-xdev", "(", "-type", "f", "-o", "-type", "d", ")", ...clear], {
      timeout: Infinity,
      signal,
      accept: [0, 1],
    });
    await remove().catch((again) => {
      throw deletionFailure(path, again);
    });
  }
}

/** The error for a tree that stays in part, from the lines of rm(1). */
function deletionFailure(path: string, error: unknown): unknown {
  const [, kept, reason] = error instanceof CommandError && /: cannot remove '(.*)': (.*)$/m.exec(error.stderr) || [];
  if (reason === undefined) return error;
  const isForeign = isRootless() && /permitted|denied/.test(reason);
  const advice = isForeign
    ? `; another user of the machine owns it or its folder: delete "${path}" as root, and repeat this if anything is still listed`
    : "";
  return new EngineError("internal", `Delete "${kept}": ${reason.toLowerCase()}${advice}`, { cause: error });
}

/**
 * Deletes a folder in which nothing can be mounted: a few files at once in this process, which is faster than a program, and
 * more than that as {@linkcode removeTree}. Missing is no error.
 */
export async function removeFolder(path: string): Promise<void> {
  if (!await removeSmall(path)) await removeTree(path);
}

/** Deletes a file. Missing is no error. */
export async function removeFile(path: string): Promise<void> {
  if (existsSync(path)) await unlink(path);
}

/** The bytes of a tree's regular files, each file with several names counted once. */
export async function treeSize(path: string): Promise<number> {
  const [size] = await treeSizes([path]);
  return size;
}

/**
 * As {@linkcode treeSize}, for several trees. A few small ones are walked in this process, the others by one program for many of
 * them, whose start takes longer than the walk of some small trees. A file that is deleted meanwhile counts nothing, and so does
 * a tree that is not there.
 */
export async function treeSizes(paths: readonly string[]): Promise<number[]> {
  const sizes = new Map<string, number>();
  const others = paths.length <= FEW_TREES ? addSmall(paths, sizes) : paths;
  for (let at = 0; at < others.length; at += TREES_AT_ONCE) await addSizes(others.slice(at, at + TREES_AT_ONCE), sizes);
  return paths.map((path) => Math.round(sizes.get(path) ?? 0));
}

/** Measures small trees in this process, as long as it takes no longer than a program, and returns the other ones. */
function addSmall(paths: readonly string[], sizes: Map<string, number>): string[] {
  if (paths.length === 0) return [];
  // A mount may be of a file system that does not answer: only a program waits for it.
  const mounted = pathsWithMounts(paths);
  const end = performance.now() + WALK;
  return paths.filter((path) => {
    const size = mounted.has(path) || performance.now() > end ? undefined : sizeOfSmall(path);
    if (size !== undefined) sizes.set(path, size);
    return size === undefined;
  });
}

async function addSizes(paths: readonly string[], sizes: Map<string, number>): Promise<void> {
  const present = paths.filter((path) => existsSync(path));
  if (present.length === 0) return;
  let rest = "";
  await runCommand("find", [
    ...["-P", ...present, "-ignore_readdir_race", "-xdev", "-type", "f"],
    ...["-printf", "%s %n %H\\n"],
  ], {
    timeout: Infinity,
    output(text) {
      const lines = (rest + text).split("\n");
      rest = lines.pop()!;
      for (const line of lines) {
        const [size, names] = line.split(" ", 2);
        const path = line.slice(size.length + names.length + 2);
        // All names of a file are in its tree: a part for each makes the whole, and none has to be remembered.
        sizes.set(path, (sizes.get(path) ?? 0) + Number(size) / Number(names));
      }
    },
  });
}

/** The names in a folder of the server's own; none where it is missing, or something else has its place. */
export async function namesIn(path: string): Promise<string[]> {
  // Most of those that are asked for are not there, and an error costs more than the question.
  if (!existsSync(path)) return [];
  return await readdir(path).catch((error: NodeJS.ErrnoException) => {
    if (hasSystemCode(error, "ENOENT", "ENOTDIR")) return [];
    throw error;
  });
}

/** Whether a folder has nothing in it, however much it has. Throws where it cannot be read. */
export async function isEmptyFolder(path: string): Promise<boolean> {
  if ((await lstat(path)).size <= MOST_BYTES) return (await readdir(path)).length === 0;
  // One that had much once stays large.
  const { stdout } = await runCommand("find", [path, "-mindepth", "1", "-maxdepth", "1", "-printf", ".", "-quit"]);
  return stdout === "";
}

/**
 * Makes a folder of the server's own. Something else in its place (a file, a link to nothing) gets another name: nothing is
 * lost, and the server goes on.
 */
export async function makeFolder(path: string, { mode, isTop = false, log }: MakeOptions): Promise<void> {
  const isNew = !existsSync(path);
  try {
    await mkdir(path, { recursive: true, mode });
  } catch (error) {
    if (!hasSystemCode(error, "EEXIST", "ENOTDIR")) throw error;
    const aside = `${path}.${randomUUID()}`;
    await rename(path, aside);
    log("warn", `Make folder "${path}": it was none, and is called "${aside}" now`);
    await mkdir(path, { mode });
  }
  // ext4 puts what is made in a folder beside the folder. Without a journal it uses no inode again for minutes, and looks at all that were
  // given back nearby for each new file: a copy into one container waited for the ends of others, a layer's files for the layers that were
  // removed. Other file systems have no such mark.
  if (isTop && isNew) await runCommand("chattr", ["+T", "--", path]).catch(() => {});
}
