/**
 * Files that the server writes or reads where a request says so: logs, pid files, health logs. A container may have the folder
 * among its mounts, and another user may own it; neither may lead the server elsewhere with a link.
 *
 * @module
 */
import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, open, readlink, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import process from "node:process";
import { EngineError } from "../../../engine/errors.ts";
import { readTextBounded } from "./bounded_read.ts";
import { O_PATH } from "./safe_path.ts";
import { hasSystemCode, whereMissing } from "../../../oci/system_error.ts";

/** Links in these folders are the system's own (`/var/run`, `/home`): who can put one there is root on the host already. */
const SYSTEM = new Set(["/", "/var"]);
const LINK_LIMIT = 40;
const { O_CREAT, O_DIRECTORY, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = constants;
const LOG_MODE = 0o640;
/** Bytes of white space around a text. */
const SLACK = 16;

/**
 * Opens a folder of the host, for `/proc/self/fd/N` and to be mounted. Throws `EngineError("invalid")` where a symbolic link
 * that is not the system's own is on the way, and the system's error for a folder that is missing. The caller closes the handle.
 *
 * @param path Absolute, without `..`
 */
export async function openNamedFolder(path: string): Promise<FileHandle> {
  let folder = await open("/", O_PATH | O_DIRECTORY);
  let at = "/";
  let links = 0;
  try {
    const rest = path.split("/").filter((name) => name !== "").reverse();
    while (rest.length > 0) {
      const name = rest.pop()!;
      const below = `/proc/self/fd/${folder.fd}/${name}`;
      const next = await open(below, O_PATH | O_NOFOLLOW | O_DIRECTORY).catch((error) =>
        error as NodeJS.ErrnoException
      );
      if (!(next instanceof Error)) {
        await folder.close();
        [folder, at] = [next, join(at, name)];
        continue;
      }
      const target = await readlink(below).catch(() => undefined);
      if (target === undefined) throw next;
      if (!SYSTEM.has(at) || ++links > LINK_LIMIT) {
        const text = `"${join(at, name)}" is a symbolic link, which a container or another user may change`;
        throw new EngineError("invalid", `open ${path}: ${text}: name the folder itself`);
      }
      rest.push(...join(target.startsWith("/") ? "/" : at, target).split("/").filter((part) => part !== "").reverse());
      await folder.close();
      [folder, at] = [await open("/", O_PATH | O_DIRECTORY), "/"];
    }
    return folder;
  } catch (error) {
    await folder.close();
    throw error;
  }
}

/** Puts a text in the place of a file, whatever has its name. Readers never find a part of it. */
export async function writeNamedFile(path: string, text: string, mode: number): Promise<void> {
  const folder = await openNamedFolder(dirname(path));
  const at = (name: string) => `/proc/self/fd/${folder.fd}/${name}`;
  const draft = at(`.${basename(path).slice(0, 100)}.${randomUUID()}`);
  try {
    await writeFile(draft, text, { mode, flag: "wx" });
    await rename(draft, at(basename(path))).catch(async (error) => {
      await rm(draft, { force: true });
      throw error;
    });
  } finally {
    await folder.close();
  }
}

/** Removes a plain file that holds nothing but a text, with white space around it or without. Missing is no error. */
export async function removeNamedFile(path: string, text: string): Promise<void> {
  const folder = await openNamedFolder(dirname(path)).catch(whereMissing);
  try {
    const file = folder && await openPlain(folder, path, O_RDONLY).catch(whereMissing);
    if (folder === undefined || file === undefined) return;
    try {
      const content = await readTextBounded(file, text.length + SLACK);
      if (content?.trim() === text) await rm(`/proc/self/fd/${folder.fd}/${basename(path)}`, { force: true });
    } finally {
      await file.close();
    }
  } finally {
    await folder?.close();
  }
}

/** Opens a file for reading that is a file, not a link, a pipe or a device. */
export async function openNamedFile(path: string): Promise<FileHandle> {
  const folder = await openNamedFolder(dirname(path));
  try {
    return await requirePlain(path, await openPlain(folder, path, O_RDONLY));
  } finally {
    await folder.close();
  }
}

/**
 * Makes a log file in a folder that is open, or finds it. Throws `EngineError("invalid")` for what is no plain file of this
 * server's user with this one name: others would read the log, or be written to.
 */
export async function makeLogFile(folder: FileHandle, path: string): Promise<void> {
  const made = await open(
    `/proc/self/fd/${folder.fd}/${basename(path)}`,
    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW,
    LOG_MODE,
  )
    .catch((error: NodeJS.ErrnoException) => {
      if (!hasSystemCode(error, "EEXIST")) throw error;
      return undefined;
    });
  if (made !== undefined) return await made.close();
  const found = await requirePlain(path, await openPlain(folder, path, O_RDONLY));
  try {
    const { nlink, uid } = await found.stat();
    if (nlink !== 1) throw notPlain(path, "has further names");
    if (uid !== process.geteuid?.()) throw notPlain(path, "belongs to another user");
  } finally {
    await found.close();
  }
}

async function openPlain(folder: FileHandle, path: string, flags: number): Promise<FileHandle> {
  const file = `/proc/self/fd/${folder.fd}/${basename(path)}`;
  return await open(file, flags | O_NOFOLLOW | O_NONBLOCK).catch((error: NodeJS.ErrnoException) => {
    throw hasSystemCode(error, "ELOOP", "ENXIO") ? notPlain(path, "is a link or a pipe", error) : error;
  });
}

async function requirePlain(path: string, file: FileHandle): Promise<FileHandle> {
  if ((await file.stat()).isFile()) return file;
  await file.close();
  throw notPlain(path, "is something else");
}

function notPlain(path: string, why: string, cause?: unknown): EngineError {
  return new EngineError("invalid", `open ${path}: not a plain file: it ${why}`, { cause });
}
