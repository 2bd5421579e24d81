import { readFileSync } from "node:fs";
import process from "node:process";

/** All user IDs there are: the map of a process that is in no user namespace of its own, user_namespaces(7). */
const ALL = 4_294_967_295;

/** The kernel's number for users that a user namespace does not have, root of the machine among them. */
const UNMAPPED = 65_534;

/**
 * Returns the user that this process is for the kernel: in a user namespace the one outside whom its user stands for. On a system
 * without user IDs it is 0.
 */
export function outerUser(): number {
  const own = process.getuid?.() ?? 0;
  return isStartedInside() ? outerID(own, readOwnMap()) : own;
}

/**
 * Whether this process was started by `unshare.pl` in a user's namespaces. Root of any other user namespace is as
 * root there: its folders are the system's.
 */
export function isStartedInside(): boolean {
  return isRootless() && Boolean(process.env.GANTRY_NETNS);
}

/**
 * Whether the owner of a file is root: this process's, or perhaps the machine's, whom a user's namespace does not have. All users
 * whom it does not have show the same number there.
 */
export function mayBeRoots(uid: number): boolean {
  return uid === 0 || (uid === UNMAPPED && isStartedInside());
}

/** Whether this process is root in a user namespace only: it may mount, and may do nothing to the machine that its user may not. */
export function isRootless(): boolean {
  return process.getuid?.() === 0 && isPartial(readOwnMap());
}

/** Whether a `uid_map` is that of a user namespace, and not of all users of the machine. */
export function isPartial(map: string): boolean {
  const [first, ...rest] = parseMap(map);
  return first !== undefined && (rest.length > 0 || first[0] !== 0 || first[1] !== 0 || first[2] < ALL);
}

/** Returns the ID outside of an ID in a user namespace with this `uid_map`; the ID itself where the map does not have it. */
export function outerID(id: number, map: string): number {
  const found = parseMap(map).find(([inside, , size]) => id >= inside && id < inside + size);
  return found === undefined ? id : found[1] + id - found[0];
}

/** The lines of a `uid_map` or `gid_map`. */
export function parseMap(map: string): [inside: number, outside: number, size: number][] {
  return map.split("\n").filter((line) => line.trim() !== "").map((line) => {
    const [inside = 0, outside = 0, size = 0] = line.trim().split(/\s+/).map(Number);
    return [inside, outside, size];
  });
}

/** Reads the user or group IDs of this process's user namespace, user_namespaces(7); an empty text on a system without. */
export function readOwnMap(name: "uid_map" | "gid_map" = "uid_map"): string {
  try {
    return readFileSync(`/proc/self/${name}`, "utf8");
  } catch {
    return "";
  }
}
