/**
 * Room on the disk. A container can have a file of terabytes that takes none, and an archive can say that it has one: a copy
 * of either would fill the disk, for everybody.
 *
 * @module
 */
import { statfs } from "node:fs/promises";
import { EngineError } from "../../engine/errors.ts";
import { isFullDisk, NO_SPACE } from "../../oci/system_error.ts";

/** Bytes left free however much comes in: for the database, logs, and the work that others have under way. */
const RESERVE = 1024 * 1024 * 1024;
/** How often is looked, in milliseconds: no disk takes the reserve in between. */
const INTERVAL = 200;

/** Bytes above the reserve from which on nobody waits until something is deleted: the next pull has room in any case. */
const PLENTY = 4 * 1024 * 1024 * 1024;

/** Whether the file system of a folder has so much room that what is deleted need not be waited for. */
export async function hasPlenty(folder: string): Promise<boolean> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize >= PLENTY + RESERVE;
}

/** Throws `EngineError("internal")` unless so many bytes more leave the reserve of a folder's file system. */
export async function requireRoom(folder: string, bytes: number, what: string): Promise<void> {
  const { bavail, bsize, blocks } = await statfs(folder);
  // On a small file system the reserve is a small one.
  const reserve = Math.min(RESERVE, blocks * bsize / 20);
  if (bavail * bsize - bytes >= reserve) return;
  const size = bytes > 0 ? `${bytes} bytes more` : "more";
  throw noRoom(`${what}: ${size} would leave too little room on the disk`);
}

/** The error about work that the disk has no room for. `what` is the work. */
export function noRoom(what: string, cause?: unknown): EngineError {
  return new EngineError("internal", `${what}: ${NO_SPACE}`, { sentinel: NO_SPACE, cause });
}

/**
 * Works while there is room on the file system of a folder: when that runs out its signal aborts, with the reason as an
 * `EngineError`, and so it does with `outer`. A write that the disk has no room for fails with the same error.
 */
export async function withRoom<T>(
  folder: string,
  what: string,
  work: (signal: AbortSignal) => Promise<T>,
  outer?: AbortSignal,
): Promise<T> {
  await requireRoom(folder, 0, what);
  const full = new AbortController();
  const timer = setInterval(() => requireRoom(folder, 0, what).catch((error) => full.abort(error)), INTERVAL);
  try {
    return await work(outer === undefined ? full.signal : AbortSignal.any([full.signal, outer]));
  } catch (error) {
    throw !(error instanceof EngineError) && isFullDisk(error) ? noRoom(what, error) : error;
  } finally {
    clearInterval(timer);
  }
}
