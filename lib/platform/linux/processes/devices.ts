import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import type { SpecDevice } from "./spec_types.ts";

/** What a container has of its own, or must not share. */
const OWN = new Set(["pts", "shm", "mqueue", "hugepages", "fd", "console", "ptmx", "tty", "log"]);

/** Lists the host's devices, for a privileged container. */
export async function hostDevices(folder = "/dev"): Promise<SpecDevice[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const found = await Promise.all(entries.map(async (entry): Promise<SpecDevice[]> => {
    const path = join(folder, entry.name);
    if (folder === "/dev" && OWN.has(entry.name)) return [];
    if (entry.isDirectory()) return await hostDevices(path);
    // The entry itself does not tell on every runtime: Deno's knows files, folders and links only.
    const facts = await lstat(path).catch(() => undefined);
    if (!facts?.isCharacterDevice() && !facts?.isBlockDevice()) return [];
    const { major, minor } = deviceNumbers(facts.rdev);
    const type = facts.isBlockDevice() ? "b" : "c";
    return [{ path, type, major, minor, fileMode: facts.mode & 0o777, uid: facts.uid, gid: facts.gid }];
  }));
  return found.flat();
}

/** Takes a `dev_t` apart as makedev(3) puts it together. */
function deviceNumbers(rdev: number): { major: number; minor: number } {
  const bits = BigInt(rdev);
  const major = ((bits >> 8n) & 0xfffn) | ((bits >> 32n) & 0xfffff000n);
  const minor = (bits & 0xffn) | ((bits >> 12n) & 0xffffff00n);
  return { major: Number(major), minor: Number(minor) };
}
