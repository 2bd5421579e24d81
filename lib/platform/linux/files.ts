import { randomUUID } from "node:crypto";
import { mkdir, rename, stat, writeFile } from "node:fs/promises";
import type { Files } from "../../engine/host_port.ts";

/** What the engine asks of paths that users name. */
export const hostFiles: Files = {
  async exists(path) {
    try {
      await stat(path);
      return true;
    } catch (error) {
      if (["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "")) return false;
      throw error;
    }
  },
  async makeFolder(path) {
    await mkdir(path, { recursive: true, mode: 0o755 });
  },
  isFolder: (path) => stat(path).then((facts) => facts.isDirectory(), () => false),
  async writeText(path, text) {
    // Renamed into its place: who reads it never finds a part, and no link of that name is followed.
    const draft = `${path}.${randomUUID()}`;
    await writeFile(draft, text, { mode: 0o600, flag: "wx" });
    await rename(draft, path);
  },
};
