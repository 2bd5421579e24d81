import { readFileSync, realpathSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { runCommand } from "../helpers/command.ts";
import { unmount } from "../calls/libc.ts";
import { MOUNT_TABLE, MountNews } from "./mount_news.ts";

const ATTEMPTS = 4;
/** Milliseconds for which a table is kept that has not changed: a folder that is renamed takes its mounts along without a word. */
const LONGEST_KEPT = 1000;
const news = new MountNews();
/** The table as it was last read, and when. */
let kept: { table: MountTable; time: number } | undefined;

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

/**
 * Returns those of the paths on or below which something is mounted. The kernel's table is read again when it has changed, and on this
 * thread: it is there before another one is awake.
 */
export function pathsWithMounts(paths: readonly string[]): Set<string> {
  const table = currentTable();
  return new Set(paths.filter((path) => {
    const real = realPlace(path);
    return real !== undefined && table.below(real).length > 0;
  }));
}

function currentTable(): MountTable {
  const time = performance.now();
  // Asked in any case: the kernel tells of each change once.
  if (news.take() || kept === undefined || time > kept.time + LONGEST_KEPT) {
    kept = { table: new MountTable(readFileSync(MOUNT_TABLE, "utf8")), time };
  }
  return kept.table;
}

/** Returns the mount points on a path and below it, in the order in which they were mounted. */
async function mountsBelow(path: string): Promise<string[]> {
  const real = realPlace(path);
  return real === undefined ? [] : new MountTable(await readFile(MOUNT_TABLE, "utf8")).below(real);
}

/** The kernel's table of mounts. */
class MountTable {
  readonly #text: string;
  #places?: string[];

  constructor(text: string) {
    this.#text = text;
  }

  /** The mount points on a path and below it, in the order of the table. The path is as {@linkcode realPlace} has it. */
  below(real: string): string[] {
    // Reading the lines takes longer than having the kernel write them, and most paths are in none of them.
    if (!this.#text.includes(` ${escaped(real)}`)) return [];
    this.#places ??= mountPoints(this.#text);
    return this.#places.filter((place) => place === real || place.startsWith(`${real}/`));
  }
}

/** Returns the mount points of the kernel's table, whose lines are as `proc_pid_mountinfo(5)` says. */
function mountPoints(table: string): string[] {
  const lines = table.split("\n").filter((line) => line !== "");
  return lines.map((line) => (line.split(" ", 5)[4] ?? "").replace(/\\([0-7]{3})/g, byteOf));
}

/**
 * Returns a path as the kernel names places: the real path of its folder, and its own name, which may be missing. `undefined`
 * where there is no such folder.
 */
function realPlace(path: string): string | undefined {
  try {
    return join(realpathSync(dirname(path)), basename(path));
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
