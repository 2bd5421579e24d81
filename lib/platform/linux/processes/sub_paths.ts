import type { FileHandle } from "node:fs/promises";
import process from "node:process";
import { EngineError } from "../../../engine/errors.ts";
import { openInside } from "../safe_path.ts";

/**
 * Parts of volumes and images that are mounted in place of the whole. Each is opened without leaving its tree and stays
 * open until the runtime has mounted it: whatever its name points to by then, the handle is what was looked at.
 */
export class SubPaths implements AsyncDisposable {
  readonly #handles: FileHandle[] = [];

  /** Opens a part; gives a path that leads to it from every process of the host. Throws `EngineError("invalid")`. */
  async open(root: string, path: string): Promise<string> {
    const found = await openInside(root, path);
    if (found === undefined) {
      throw new EngineError("invalid", `subpath "${path}" of "${root}": no such file or directory`, {
        sentinel: "no such file or directory",
      });
    }
    this.#handles.push(found);
    return `/proc/${process.pid}/fd/${found.fd}`;
  }

  /** Closes all of them. */
  async [Symbol.asyncDispose](): Promise<void> {
    for (const handle of this.#handles.splice(0)) await handle.close();
  }
}
