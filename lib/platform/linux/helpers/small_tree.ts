import { closeSync, constants, fstatSync, lstatSync, openSync, readdirSync } from "node:fs";
import { rmdir, unlink } from "node:fs/promises";
import { join } from "node:path";
import { FileStatus } from "../calls/file_status.ts";
import { cText, library } from "../calls/libc.ts";
import { hasSystemCode } from "../../../oci/system_error.ts";

/** Limits of a tree that this process deletes or measures itself: it takes no longer than a program's start. */
const MOST_ENTRIES = 256;
const MOST_FOLDERS = 32;
/** A folder's own size in bytes, which grows with its entries on every file system: a larger one is not even listed. */
export const MOST_BYTES = 64 * 1024;

/** A folder, itself and no link to one. Its content is reached through its descriptor, wherever its name leads by then. */
const FOLDER = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/** A tree that is small enough, its folders held open; those above come before those in them. */
interface Found {
  folders: { path: string; descriptor: number }[];
  files: string[];
}

/**
 * Deletes a tree that is small, and on one device. Resolves with whether it is gone; what is too large, or cannot be deleted
 * in this way, is left in part. Mounts in it from the same device cannot be told apart: there must be none.
 */
export async function removeSmall(path: string): Promise<boolean> {
  const found: Found = { folders: [], files: [] };
  try {
    if (!look(path, found)) return false;
    // The disk takes its time to let go of a large file, and of a folder when nobody has it open any more: on another thread.
    await Promise.all(found.files.map((file) => unlink(file)));
    for (let last = found.folders.at(-1); last !== undefined; last = found.folders.at(-1)) {
      closeSync(last.descriptor);
      found.folders.pop();
      await rmdir(last.path);
    }
    return true;
  } catch (error) {
    return found.folders.length === 0 && hasSystemCode(error, "ENOENT");
  } finally {
    for (const { descriptor } of found.folders) closeSync(descriptor);
  }
}

/**
 * Deletes a folder and those in it, if all of them are empty. Resolves with whether it is gone. Nothing but empty folders goes, and
 * no place of a mount.
 */
export async function removeEmptyFolders(path: string): Promise<boolean> {
  try {
    if (lstatSync(path).size > MOST_BYTES) return false;
    for (const name of readdirSync(path)) await rmdir(join(path, name));
    await rmdir(path);
    return true;
  } catch {
    return false;
  }
}

/** Whether a folder has nothing in it. False where it is missing or cannot be read, and for one that had so much that it is not listed here. */
export function isEmptySmall(path: string): boolean {
  try {
    return lstatSync(path).size <= MOST_BYTES && readdirSync(path).length === 0;
  } catch {
    return false;
  }
}

/**
 * Returns the bytes of the regular files in a tree that is small, and on one device; a file with several names counts a part for
 * each. `undefined` where the tree is too large, cannot be read, or changes meanwhile. Must not be asked for a tree with mounts:
 * a file system that does not answer holds up this thread.
 */
export function sizeOfSmall(path: string): number | undefined {
  return library()?.getdents64 ? sizeByCalls(path) : sizeByNode(path);
}

function sizeByNode(path: string): number | undefined {
  const found: Found = { folders: [], files: [] };
  try {
    if (!look(path, found)) return undefined;
    let bytes = 0;
    for (const file of found.files) {
      const stat = lstatSync(file);
      if (stat.isFile()) bytes += stat.size / stat.nlink;
    }
    return bytes;
  } catch {
    return undefined;
  } finally {
    for (const { descriptor } of found.folders) closeSync(descriptor);
  }
}

/** Finds what is in a tree; false where that is too much. */
function look(path: string, { folders, files }: Found): boolean {
  const waiting = [path];
  let device: number | undefined;
  let entries = 0;
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (folders.length === MOST_FOLDERS) return false;
    const descriptor = openSync(next, FOLDER);
    folders.push({ path: next, descriptor });
    const { dev, size } = fstatSync(descriptor);
    device ??= dev;
    if (dev !== device || size > MOST_BYTES) return false;
    const here = `/proc/self/fd/${descriptor}`;
    const names = readdirSync(here, { withFileTypes: true });
    entries += names.length;
    if (entries > MOST_ENTRIES) return false;
    for (const entry of names) (entry.isDirectory() ? waiting : files).push(`${here}/${entry.name}`);
  }
  return true;
}

/** `O_CLOEXEC` of open(2), which Node does not name: its own calls add it. */
const CLOSE_ON_EXEC = 0o2000000;
/** The type of an entry in `struct linux_dirent64` of getdents64(2), where the file system tells it: `DT_UNKNOWN`, `DT_DIR` and `DT_REG`. */
const UNKNOWN_TYPE = 0;
const FOLDER_TYPE = 4;
const FILE_TYPE = 8;
/** The places of the entry's length, type and name. */
const ENTRY = { length: 16, type: 18, name: 19 } as const;
const DOT = ".".charCodeAt(0);
/** Entries of one call. There is one walk at a time: none waits. */
const entries = new Uint8Array(16 * 1024);
const status = new FileStatus();

/** By calls of libc, in a tenth of the time that `node:fs` takes under Deno. */
function sizeByCalls(path: string): number | undefined {
  const walk: Walk = { waiting: [], folders: 0, entries: 0, bytes: 0 };
  try {
    if (!takeFolder(walk, library()!.open(cText(path), FOLDER | CLOSE_ON_EXEC, 0))) return undefined;
    for (let folder = walk.waiting.pop(); folder !== undefined; folder = walk.waiting.pop()) {
      try {
        if (!addFolder(walk, folder)) return undefined;
      } finally {
        library()!.close(folder);
      }
    }
    return walk.bytes;
  } finally {
    for (const folder of walk.waiting) library()!.close(folder);
  }
}

/** A walk through a tree. */
interface Walk {
  /** Folders whose entries nobody has looked at yet, open. */
  waiting: number[];
  folders: number;
  entries: number;
  bytes: number;
  device?: readonly [number, number];
}

/** Takes on a folder that was opened. False where it was not, or the tree is too large or on several devices. */
function takeFolder(walk: Walk, folder: number): boolean {
  if (folder < 0) return false;
  walk.waiting.push(folder);
  if (++walk.folders > MOST_FOLDERS || !status.ofHandle(folder) || status.size > MOST_BYTES) return false;
  const { device } = status;
  walk.device ??= device;
  return device[0] === walk.device[0] && device[1] === walk.device[1];
}

/** Adds the files of a folder, and has those in it wait. False where it cannot be read, or has too much. */
function addFolder(walk: Walk, folder: number): boolean {
  for (;;) {
    const size = Number(library()!.getdents64!(folder, entries, BigInt(entries.length)));
    if (size <= 0) return size === 0;
    for (let at = 0; at < size;) {
      const length = entries[at + ENTRY.length]! | entries[at + ENTRY.length + 1]! << 8;
      const name = entries.subarray(at + ENTRY.name, at + length);
      if (
        !isDots(name) && (++walk.entries > MOST_ENTRIES || !addEntry(walk, folder, entries[at + ENTRY.type]!, name))
      ) {
        return false;
      }
      at += length;
    }
  }
}

/** Whether a name with its end, and what follows that, is `.` or `..`. */
function isDots(name: Uint8Array): boolean {
  return name[0] === DOT && (name[1] === 0 || name[1] === DOT && name[2] === 0);
}

function addEntry(walk: Walk, folder: number, type: number, name: Uint8Array): boolean {
  const openFolder = () => library()!.openat(folder, name, FOLDER | CLOSE_ON_EXEC);
  if (type === FOLDER_TYPE) return takeFolder(walk, openFolder());
  if (type !== FILE_TYPE && type !== UNKNOWN_TYPE) return true;
  if (!status.ofEntry(folder, name)) return false;
  if (status.isFile) walk.bytes += status.size / status.links;
  return !status.isFolder || takeFolder(walk, openFolder());
}
