/**
 * Short names for layers. The kernel takes one page of mount options: 127 layers under their full names do not fit.
 *
 * @module
 */
import { readlink, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import type { HostContext } from "../helpers/context.ts";
import { makeFolder, namesIn } from "../helpers/tree.ts";
import { hasSystemCode } from "../../../oci/system_error.ts";

/** The links `folder/<number>` -> `../<hex>/diff`. */
export class LayerLinks {
  readonly #folder: string;
  readonly #byLayer: Map<string, string>;

  private constructor(folder: string, byLayer: Map<string, string>) {
    this.#folder = folder;
    this.#byLayer = byLayer;
  }

  /** Reads the links there are; those of layers which `keep` does not know are dropped. */
  static async open(
    folder: string,
    keep: (hex: string) => boolean,
    log: HostContext["log"] = () => {},
  ): Promise<LayerLinks> {
    await makeFolder(folder, { mode: 0o700, log });
    const byLayer = new Map<string, string>();
    for (const name of await namesIn(folder)) {
      const path = join(folder, name);
      const hex = await readlink(path).then((target) => target.split("/")[1], () => undefined);
      if (hex !== undefined && keep(hex) && !byLayer.has(hex)) byLayer.set(hex, name);
      // An entry that is no link, or cannot be deleted, does no harm: a new link takes another name.
      else await rm(path).catch((error) => log("warn", `Delete ${JSON.stringify(path)}: ${error.message}`));
    }
    return new LayerLinks(folder, byLayer);
  }

  /**
   * The layer's short name, made when there is none: a free number. The first digits of the digest would not do, since
   * layers that share them can be crafted.
   */
  async get(hex: string): Promise<string> {
    for (let number = this.#byLayer.size;; number++) {
      const known = this.#byLayer.get(hex);
      if (known !== undefined) return known;
      const name = number.toString(36);
      try {
        await symlink(`../${hex}/diff`, join(this.#folder, name));
      } catch (error) {
        if (hasSystemCode(error, "EEXIST")) continue;
        throw error;
      }
      // A concurrent call for this layer may have been faster; its name stands.
      if (this.#byLayer.has(hex)) await rm(join(this.#folder, name), { force: true });
      else this.#byLayer.set(hex, name);
    }
  }

  /** Forgets a layer's short name. */
  async remove(hex: string): Promise<void> {
    const name = this.#byLayer.get(hex);
    if (name === undefined) return;
    this.#byLayer.delete(hex);
    await rm(join(this.#folder, name), { force: true });
  }
}
