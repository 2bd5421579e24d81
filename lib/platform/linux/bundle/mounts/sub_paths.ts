import { type FileHandle, mkdir, readlink, rm, rmdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { EngineError } from "../../../../engine/errors.ts";
import { runCommand } from "../../helpers/command.ts";
import { unmount } from "../../calls/libc.ts";
import { mountOpened } from "../../mounts/mount_handle.ts";
import { openInside } from "../../helpers/safe_path.ts";
import { namesIn } from "../../helpers/tree.ts";
import { hasSystemCode } from "../../../../oci/system_error.ts";

/**
 * Parts of volumes and images that are mounted in place of the whole. Each is opened without leaving its tree, and what was
 * opened is shown at a place of its own until the runtime has mounted it: nobody can change what is found there meanwhile.
 */
export class SubPaths implements AsyncDisposable {
  readonly #folder: string;
  readonly #real = new Map<string, string>();
  #count = 0;

  /** @param folder Where the parts are shown; nothing else is in there */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /**
   * Shows a part; gives its place. Throws `EngineError("invalid")` where there is none.
   *
   * @param recursive With what is mounted in it
   */
  async open(root: string, path: string, recursive?: boolean): Promise<string> {
    const found = await openInside(root, path);
    if (found === undefined) {
      throw new EngineError("invalid", `subpath "${path}" of "${root}": no such file or directory`, {
        sentinel: "no such file or directory",
      });
    }
    try {
      return await this.show(found, 0n, recursive);
    } finally {
      await found.close();
    }
  }

  /** Shows what is open; gives its place. */
  async show(opened: FileHandle, attributes?: bigint, recursive?: boolean): Promise<string> {
    const place = join(this.#folder, String(this.#count++));
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    if ((await opened.stat()).isDirectory()) await mkdir(place);
    else await writeFile(place, "");
    await mountOpened(opened, place, attributes, recursive);
    this.#real.set(place, await readlink(`/proc/self/fd/${opened.fd}`));
    return place;
  }

  /** Returns the host's path of the part shown at a place. */
  realPath(place: string): string | undefined {
    return this.#real.get(place);
  }

  /** Takes them away again, those of an earlier process too. */
  async [Symbol.asyncDispose](): Promise<void> {
    const names = await namesIn(this.#folder);
    for (const name of names) await takeAway(join(this.#folder, name));
    if (names.length > 0) await rmdir(this.#folder);
  }
}

/** Deletes only what is empty: a part that is still mounted holds somebody's files. */
async function takeAway(place: string): Promise<void> {
  const remove = () =>
    rmdir(place).catch((error: NodeJS.ErrnoException) => {
      if (!hasSystemCode(error, "ENOTDIR")) throw error;
      return rm(place);
    });
  try {
    await remove();
  } catch (error) {
    if (!hasSystemCode(error, "EBUSY", "ENOTEMPTY")) throw error;
    if (!await unmount(place)) await runCommand("umount", ["--recursive", "--", place]);
    await remove();
  }
}
