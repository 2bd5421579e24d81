import { mkdir, stat } from "node:fs/promises";
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
};
