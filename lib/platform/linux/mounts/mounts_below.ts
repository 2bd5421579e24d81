import { realpathSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { runCommand } from "../helpers/command.ts";
import { unmount } from "../helpers/libc.ts";

const ATTEMPTS = 4;

/**
 * Unmounts what is mounted on a path and below it, the latest first; what is busy goes as soon as it no longer is. A container
 * with a shared volume and the right to mount leaves mounts in it that are seen here, and one of this very device cannot be
 * told from a folder by looking at it.
 */
export async function unmountBelow(path: string): Promise<void> {
  let places = await mountsBelow(path);
  // A mount on top of another one has the same place.
  for (let attempt = 0; attempt < ATTEMPTS && places.length > 0; attempt++) {
    for (const place of places.reverse()) {
      if (!await unmount(place)) await runCommand("umount", ["--lazy", "--", place]).catch(() => {});
    }
    places = await mountsBelow(path);
  }
  if (places.length > 0) throw new Error(`Delete "${path}": "${places[0]}" stays mounted`);
}

/** Whether something is mounted on a path, also where that is of the same device as the folder below. */
export async function hasMount(path: string): Promise<boolean> {
  const places = await mountsBelow(path);
  const real = places.length > 0 && realpathSync(path);
  return places.some((place) => place === real);
}

/** Returns the mount points on a path and below it, in the order in which they were mounted. */
async function mountsBelow(path: string): Promise<string[]> {
  // The kernel names places by their real paths.
  const folder = realFolder(path);
  if (folder === undefined) return [];
  const real = join(folder, basename(path));
  const text = await readFile("/proc/self/mountinfo", "utf8");
  if (!text.includes(escaped(real))) return [];
  const places = text.split("\n").map((line) => (line.split(" ")[4] ?? "").replace(/\\([0-7]{3})/g, byteOf));
  return places.filter((place) => place === real || place.startsWith(`${real}/`));
}

/** Returns the real path of the folder that a path is in; `undefined` where there is none. */
function realFolder(path: string): string | undefined {
  try {
    return realpathSync(dirname(path));
  } catch {
    return undefined;
  }
}

/** As `proc_pid_mountinfo(5)` spells a path. */
function escaped(path: string): string {
  return path.replace(/[ \t\n\\]/g, (letter) => `\\${letter.charCodeAt(0).toString(8).padStart(3, "0")}`);
}

function byteOf(_: string, octal: string): string {
  return String.fromCharCode(parseInt(octal, 8));
}
