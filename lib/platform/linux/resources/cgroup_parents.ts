import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { rmdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { hasSystemCode } from "../../../oci/system_error.ts";

/** Folder of the notes below a runroot. */
const NOTES = "cgroup-parents";

/**
 * The parents that containers name for their cgroups. One that was not there before belongs to its containers and goes with
 * the last of them; a note says so, since the last may go under a later server process.
 */
export class CgroupParents {
  readonly #mounts: readonly string[];
  readonly #notes: string;

  /**
   * @param mounts Mount points of all hierarchies
   * @param runroot Where the notes are kept
   */
  constructor(mounts: readonly string[], runroot: string) {
    this.#mounts = mounts;
    this.#notes = join(runroot, NOTES);
  }

  /**
   * Takes note of a parent that is not there yet. To be called before the runtime makes it.
   *
   * @param ours For the group of a pod, which is the engine's own also where it is there already: the engine's parent, which stays
   */
  async claim(parent: string, ours?: string): Promise<void> {
    let first: string | undefined;
    for (
      let path = join("/", parent);
      path !== "/" && path !== ours && !await this.#exists(path);
      path = dirname(path)
    ) first = path;
    if (ours !== undefined && !existsSync(this.#noteOf(parent))) first ??= join("/", parent);
    if (first === undefined) return;
    mkdirSync(this.#notes, { recursive: true, mode: 0o700 });
    writeFileSync(this.#noteOf(parent), first);
  }

  /** Removes a parent that was made for its containers, unless it still has some. */
  async release(parent: string): Promise<void> {
    const note = this.#noteOf(parent);
    if (!existsSync(note)) return;
    let first: string;
    try {
      first = readFileSync(note, "utf8");
    } catch {
      return;
    }
    for (let path = join("/", parent);; path = dirname(path)) {
      for (const mount of this.#mounts) {
        try {
          await rmdir(join(mount, path));
        } catch (error) {
          if (!hasSystemCode(error, "ENOENT")) return;
        }
      }
      if (path === first || path === "/") break;
    }
    rmSync(note, { force: true });
  }

  async #exists(path: string): Promise<boolean> {
    const found = await Promise.all(
      this.#mounts.map((mount) => stat(join(mount, path)).then(() => true, () => false)),
    );
    return found.includes(true);
  }

  #noteOf(parent: string): string {
    return join(this.#notes, encodeURIComponent(join("/", parent)));
  }
}
