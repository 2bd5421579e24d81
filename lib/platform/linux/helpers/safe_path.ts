/**
 * Opening paths of a foreign tree without ever leaving it.
 *
 * @module
 */
import { constants } from "node:fs";
import { type FileHandle, open, readlink } from "node:fs/promises";
import { EngineError } from "../../../engine/errors.ts";
import { readBounded } from "./bounded_read.ts";
import { hasSystemCode } from "../../../oci/system_error.ts";

/** `O_PATH` of `open(2)`, which `node:fs` does not name: a handle for looking, not for reading. */
export const O_PATH = 0o10000000;
const LINK_LIMIT = 40;
/** Every folder on the way is held open. A tree can nest without end, and links can lead deeper than any path is long. */
const DEPTH_LIMIT = 256;

/**
 * Opens `path` as a process whose root is `root` would find it: absolute links start at `root`, `..` stops there.
 * Every component is opened relative to the one before it and without following links, so that a tree which changes
 * meanwhile cannot lead out. The handle is good for `stat` and as `/proc/self/fd/N`; {@linkcode readInside} reads.
 * `undefined` where nothing is; `EngineError("invalid")` for a ring of links, or more than 256 folders. The caller closes the
 * handle.
 */
export async function openInside(root: string, path: string): Promise<FileHandle | undefined> {
  const stack = [await open(root, O_PATH | constants.O_DIRECTORY)];
  const rest = pathParts(path);
  let links = 0;
  try {
    while (rest.length > 0) {
      const name = rest.pop()!;
      if (name === "..") {
        if (stack.length > 1) await stack.pop()!.close();
        continue;
      }
      const below = `/proc/self/fd/${stack.at(-1)!.fd}/${name}`;
      // On the way there are mostly folders, which are known to be none but themselves once they are open.
      const folder = rest.length > 0 ? await openFolder(below) : undefined;
      const next = folder ?? await open(below, O_PATH | constants.O_NOFOLLOW);
      stack.push(next);
      if (stack.length > DEPTH_LIMIT) throw tooFar(path, `more than ${DEPTH_LIMIT} folders`);
      if (folder !== undefined || !(await next.stat()).isSymbolicLink()) continue;
      if (++links > LINK_LIMIT) throw tooFar(path, "too many levels of symbolic links");
      await stack.pop()!.close();
      const target = await readlink(below);
      if (target.startsWith("/")) { for (const handle of stack.splice(1)) await handle.close(); }
      rest.push(...pathParts(target));
    }
    return stack.pop();
  } catch (error) {
    if (hasSystemCode(error, "ENOENT", "ENOTDIR", "ENAMETOOLONG")) return undefined;
    throw error;
  } finally {
    for (const handle of stack) await handle.close();
  }
}

/** Opens a folder that is no link; `undefined` for anything else. */
async function openFolder(path: string): Promise<FileHandle | undefined> {
  return await open(path, O_PATH | constants.O_NOFOLLOW | constants.O_DIRECTORY).catch((error) => {
    if (hasSystemCode(error, "ENOTDIR", "ELOOP")) return undefined;
    throw error;
  });
}

/** Opens a regular file of the tree to read it; `undefined` where there is none. The caller closes the handle. */
export async function openFileInside(root: string, path: string): Promise<FileHandle | undefined> {
  const found = await openInside(root, path);
  if (found === undefined) return undefined;
  try {
    if (!(await found.stat()).isFile()) return undefined;
    // The magic link leads to the file itself, wherever its name points by now.
    return await open(`/proc/self/fd/${found.fd}`, constants.O_RDONLY | constants.O_NONBLOCK);
  } finally {
    await found.close();
  }
}

/** Reads a regular file of the tree, up to `limit` bytes; `undefined` where there is none. */
export async function readInside(root: string, path: string, limit: number): Promise<Uint8Array | undefined> {
  const file = await openFileInside(root, path);
  try {
    return file && await readBounded(file, limit);
  } finally {
    await file?.close();
  }
}

function tooFar(path: string, why: string): EngineError {
  return new EngineError("invalid", `Open "${path.slice(0, 256)}": ${why}`);
}

/** The components of a path, last first. */
export function pathParts(path: string): string[] {
  return path.split("/").filter((part) => part !== "" && part !== ".").reverse();
}
