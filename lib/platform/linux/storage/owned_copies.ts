/**
 * Copies of layers whose files have the owners of a user namespace, where the kernel shows no folder with other owners: an ordinary
 * user's server may not ask it to.
 *
 * ```text
 * root/layers/owned/<maps>/<hex>     a copy           root/containers/<id>/owned     which maps its container has
 * ```
 *
 * A copy takes the room of its layer. The copies for one set of maps go with the last container that has it.
 *
 * @module
 */
import { createHash, randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { chown, mkdir, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { EngineError } from "../../../engine/errors.ts";
import type { IDMaps } from "../../../engine/records/id_maps.ts";
import type { TreeOptions } from "../../../engine/ports/tree_stack.ts";
import { Locks } from "../../../engine/store/locks.ts";
import { withRoom } from "../../storage/disk_room.ts";
import { CommandError, runCommand } from "../helpers/command.ts";
import { namesIn, removeTree } from "../helpers/tree.ts";
import { discardFolder } from "./discard_folder.ts";
import { hostText } from "../helpers/bounded_read.ts";

/** The note in a container's folder. */
const NOTE = "owned";
/**
 * The copy is written by root of the user namespace: its numbers are the archive's there, and what it may set is what its programs will
 * see. The folder is entered before, since that root may not find the way to it.
 */
const COPY = `cd "$2" || exit
tar --create --file=- --directory="$1" --xattrs --xattrs-include='*' --numeric-owner --one-file-system . |
  nsenter --user="$3" tar --extract --file=- --xattrs --xattrs-include='*' --numeric-owner --same-owner \\
    --preserve-permissions --delay-directory-restore --warning=no-timestamp`;

/** The copies below one root. */
export class OwnedCopies {
  readonly #folder: string;
  readonly #partial: string;
  readonly #containers: string;
  readonly #locks = new Locks();

  constructor({ layers, containers }: { layers: string; containers: string }, partial: string) {
    this.#folder = join(layers, "owned");
    this.#partial = partial;
    this.#containers = containers;
  }

  /**
   * Returns folders with the content of others, owned as in the namespace, which a container needs from now on.
   *
   * @param storage The container's folder
   * @param sources Folders of layers, `…/<hex>/diff`
   */
  async get(storage: string, sources: readonly string[], options: TreeOptions): Promise<string[]> {
    const { idMaps, userns, rootOwner } = options;
    if (idMaps === undefined || userns === undefined || rootOwner === undefined) {
      throw new EngineError("unsupported", "Mount container tree: IDs without root cannot own files");
    }
    const key = keyOf(idMaps);
    return await this.#locks.with(key, async () => {
      await writeFile(join(storage, NOTE), key);
      const copies: string[] = [];
      for (const source of sources) {
        const copy = join(this.#folder, key, source.split("/").at(-2)!);
        if (!existsSync(copy)) await this.#copy(source, copy, userns, rootOwner);
        copies.push(copy);
      }
      return copies;
    });
  }

  /** Forgets that a container needs its copies; those that no other one needs go. Its folder is still there. */
  async release(storage: string): Promise<void> {
    const key = await readNote(storage);
    if (key === undefined) return;
    await this.#locks.with(key, async () => {
      for (const name of await namesIn(this.#containers)) {
        const other = join(this.#containers, name);
        if (other !== storage && await readNote(other) === key) return;
      }
      await discardFolder(join(this.#folder, key), this.#partial);
    });
  }

  /** Removes the copies of a layer that goes. */
  async removeLayer(hex: string): Promise<void> {
    for (const key of await namesIn(this.#folder)) {
      await this.#locks.with(key, () => discardFolder(join(this.#folder, key, hex), this.#partial));
    }
  }

  async #copy(source: string, copy: string, userns: string, owner: { uid: number; gid: number }): Promise<void> {
    const temporary = join(this.#partial, randomUUID());
    await mkdir(temporary, { mode: 0o700 });
    try {
      await chown(temporary, owner.uid, owner.gid);
      await withRoom(temporary, "Copy layer", (signal) => {
        const args = ["-o", "pipefail", "-c", COPY, "bash", source, temporary, userns];
        return runCommand("bash", args, { timeout: Infinity, signal });
      });
      await mkdir(dirname(copy), { recursive: true, mode: 0o711 });
      await rename(temporary, copy);
    } catch (error) {
      await removeTree(temporary);
      if (!(error instanceof CommandError)) throw error;
      // chown(2) of a number that the namespace does not have.
      const isOutside = /Cannot change ownership .*Invalid argument/.test(error.stderr);
      const why = isOutside ? "the image has files of users that the container's IDs do not include" : error.message;
      throw new EngineError(isOutside ? "invalid" : "internal", `Copy layer: ${why}`, { cause: error });
    }
  }
}

/** A name for a set of maps. */
function keyOf({ uids, gids }: IDMaps): string {
  const text = [uids, gids].map((mappings) => mappings.map((map) => `${map.container}:${map.host}:${map.size}`));
  return createHash("sha256").update(JSON.stringify(text)).digest("hex").slice(0, 32);
}

async function readNote(storage: string): Promise<string | undefined> {
  const text = await hostText(join(storage, NOTE));
  return /^[0-9a-f]{32}$/.test(text) ? text : undefined;
}
