/**
 * Reading files that a container, or an accident, may have made into anything: of any size, a pipe, a link, a folder; and those of the host that no
 * container can change.
 *
 * @module
 */
import { Buffer } from "node:buffer";
import { closeSync, constants, fstatSync, openSync, readFileSync, readSync } from "node:fs";
import { type FileHandle, open, readFile } from "node:fs/promises";
import { hasSystemCode } from "../../../oci/system_error.ts";

/** A pipe does not wait for its other end, and a link is not followed. */
const FLAGS = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW;
const PIECE = 64 * 1024;
const FIRST = 4096;
/** The errors of paths at which no file can be read: nothing is there, a link, a socket, a device without a driver. */
const NO_FILE = ["ENOENT", "ENOTDIR", "ELOOP", "ENXIO", "ENODEV", "EISDIR", "ESRCH"];

/**
 * Reads a regular file up to `limit` bytes; `undefined` where there is none, or something that is no regular file. A caller
 * that must know whether a file has more asks for one byte more than it takes. A handle stays open and is read from its place.
 */
export async function readBounded(file: string | FileHandle, limit: number): Promise<Uint8Array | undefined> {
  if (typeof file !== "string") return await readHandle(file, limit);
  const handle = await open(file, FLAGS).catch(noFile);
  if (handle === undefined) return undefined;
  try {
    return await readHandle(handle, limit);
  } finally {
    await handle.close();
  }
}

/** As {@linkcode readBounded}, as text. A character that the limit cuts in two is a replacement character. */
export async function readTextBounded(file: string | FileHandle, limit: number): Promise<string | undefined> {
  const bytes = await readBounded(file, limit);
  return bytes && new TextDecoder().decode(bytes);
}

/**
 * As {@linkcode readTextBounded}, at once: for small files of the server's own folders and of the kernel, which no disk is
 * waited for.
 */
export function readTextBoundedSync(file: string, limit: number): string | undefined {
  let handle: number;
  try {
    handle = openSync(file, FLAGS);
  } catch (error) {
    return noFile(error);
  }
  try {
    if (!fstatSync(handle).isFile()) return undefined;
    let buffer = Buffer.allocUnsafe(Math.min(limit, FIRST));
    let length = 0;
    for (;;) {
      if (length === buffer.length) {
        if (length >= limit) break;
        buffer = Buffer.concat([buffer], Math.min(limit, buffer.length * 2));
      }
      const bytes = readSync(handle, buffer, length, buffer.length - length, null);
      if (bytes === 0) break;
      length += bytes;
    }
    return buffer.toString("utf8", 0, length);
  } finally {
    closeSync(handle);
  }
}

async function readHandle(handle: FileHandle, limit: number): Promise<Uint8Array | undefined> {
  const facts = await handle.stat();
  if (!facts.isFile()) return undefined;
  // Files of /proc and /sys say 0; one more byte than the size shows a file that grew. A size is only a claim.
  let buffer = new Uint8Array(Math.min(limit, Math.max(Math.min(facts.size + 1, PIECE), FIRST)));
  let length = 0;
  while (length < limit) {
    if (length === buffer.length) {
      const larger = new Uint8Array(Math.min(limit, buffer.length * 2));
      larger.set(buffer);
      buffer = larger;
    }
    const { bytesRead } = await handle.read(buffer, length, buffer.length - length, null);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return buffer.slice(0, length);
}

function noFile(error: unknown): undefined {
  if (hasSystemCode(error, ...NO_FILE)) return undefined;
  throw error;
}

/** The text of a small file of the kernel's, the administrator's or the server's own, which no container can change; empty where it cannot be read. */
export async function hostText(path: string): Promise<string> {
  return await readFile(path, "utf8").catch(() => "");
}

/** As {@linkcode hostText}, at once. */
export function hostTextSync(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
