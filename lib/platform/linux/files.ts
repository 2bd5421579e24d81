import { lstat, mkdir, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { fitsGlob } from "../../engine/text/glob.ts";
import type { Files } from "../../engine/ports/host_port.ts";
import { removeNamedFile, writeNamedFile } from "./helpers/named_paths.ts";
import { pathRefusal } from "./helpers/path_refusal.ts";
import { hasSystemCode } from "../../oci/system_error.ts";

/** A pattern that fits more is a mistake, and no container has as many mounts. */
const MOST_PATHS = 10_000;

/** The engine's operations on paths that users name. */
export const hostFiles: Files = {
  async exists(path) {
    try {
      await stat(path);
      return true;
    } catch (error) {
      if (hasSystemCode(error, "ENOENT", "ENOTDIR")) return false;
      throw pathRefusal(`statfs ${path}`, error);
    }
  },
  async makeFolder(path) {
    await mkdir(path, { recursive: true, mode: 0o755 }).catch((error) => {
      throw pathRefusal(`mkdir ${path}`, error);
    });
  },
  async glob(pattern) {
    let found = ["/"];
    for (const part of pattern.split("/").filter((part) => part !== "" && part !== ".")) {
      const next = await Promise.all(found.map((folder) => pathsBelow(folder, part)));
      found = next.flat().slice(0, MOST_PATHS);
    }
    return found;
  },
  isFolder: (path) => stat(path).then((facts) => facts.isDirectory(), () => false),
  async writeText(path, text) {
    await writeNamedFile(path, text, 0o600).catch((error) => {
      throw pathRefusal(`open ${path}`, error);
    });
  },
  removeHolding: removeNamedFile,
};

/** Returns the paths in a folder that fit one part of a pattern; names with a dot in front only where the pattern has it too. */
async function pathsBelow(folder: string, part: string): Promise<string[]> {
  if (!/[*?]/.test(part)) {
    const path = join(folder, part);
    return await lstat(path).then(() => [path], () => []);
  }
  const names = await readdir(folder).catch(() => []);
  const fits = names.filter((name) => fitsGlob(part, name) && (part.startsWith(".") || !name.startsWith(".")));
  return fits.sort().map((name) => join(folder, name));
}
