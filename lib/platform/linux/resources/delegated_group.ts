/**
 * The control group of an ordinary user's server where it was delegated to the user: a service with `Delegate=yes`, or
 * `systemd-run --user --scope -p Delegate=yes`. The server may make groups below it, and give them the controllers it has.
 *
 * A group that hands controllers on holds no processes itself (the kernel's `cgroup-v2.rst`, "No Internal Process Constraint"), so that
 * the server and its helpers move into a group of their own below it.
 *
 * @module
 */
import { access, constants, mkdir, readFile, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { hostText } from "../helpers/bounded_read.ts";

/** The group below the delegated one that the server itself moves into. */
export const SERVER_GROUP = "gantry-server";
/** Processes may start while others are moved; this is how often is looked again. */
const MOST_ROUNDS = 100;

/**
 * Returns the delegated group of a process below the mount point, or undefined where its group belongs to somebody else.
 *
 * @param text Its `/proc/PID/cgroup`
 */
export async function findDelegatedGroup(mount: string, text: string): Promise<string | undefined> {
  const own = /^0::(\/.*)$/m.exec(text)?.[1];
  if (own === undefined || own === "/") return undefined;
  const group = basename(own) === SERVER_GROUP ? dirname(own) : own;
  const places = ["", "cgroup.procs", "cgroup.subtree_control"].map((name) => join(mount, group, name));
  const writable = await Promise.all(
    places.map((place) => access(place, constants.W_OK).then(() => true, () => false)),
  );
  return writable.every((isWritable) => isWritable) ? group : undefined;
}

/** Returns the controllers that groups below a group can have. */
export async function controllersOf(folder: string): Promise<string[]> {
  const text = await hostText(join(folder, "cgroup.controllers"));
  return text.trim().split(" ").filter((name) => name !== "");
}

/**
 * Moves the processes of a delegated group into one below it, and hands its controllers on to the groups below, down to those of
 * containers.
 *
 * @param parent The folder in which containers get their groups, below the delegated one
 */
export async function takeDelegatedGroup(folder: string, parent: string): Promise<void> {
  const leaf = join(folder, SERVER_GROUP);
  await mkdir(leaf, { recursive: true });
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const pids = (await readFile(join(folder, "cgroup.procs"), "utf8")).split("\n").filter((line) => line !== "");
    if (pids.length === 0) break;
    // One that has ended meanwhile has left the group, too.
    for (const pid of pids) await writeFile(join(leaf, "cgroup.procs"), pid).catch(() => {});
  }
  await mkdir(parent, { recursive: true });
  for (const group of [folder, parent]) {
    for (const name of await controllersOf(group)) {
      // One that real-time processes keep busy is left out; its limits are refused by name.
      await writeFile(join(group, "cgroup.subtree_control"), `+${name}`).catch(() => {});
    }
  }
}
