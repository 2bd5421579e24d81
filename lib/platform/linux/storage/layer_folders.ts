/**
 * Unpacked layers, each in a folder of its own.
 *
 * ```text
 * root/layers/<hex>/diff          a layer's content
 * root/layers/<hex>/layer.json    what its root is
 * root/layers/links/<number>      -> ../<hex>/diff
 * root/layers/partial/<random>    what is not whole yet, or no longer
 * ```
 *
 * @module
 */
import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { access, chmod, chown, mkdir, rename, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { EngineError } from "../../../engine/errors.ts";
import type { UnpackedLayer } from "../../../engine/ports/host_port.ts";
import { hasPlenty } from "../../storage/disk_room.ts";
import type { HostContext } from "../helpers/context.ts";
import { syncFileSystem } from "./file_system_sync.ts";
import { OwnedCopies } from "./owned_copies.ts";
import { LayerLinks } from "./layer_links.ts";
import { compareLayer, inspectLayer } from "./layer_check.ts";
import type { LayerFacts } from "./layer_facts.ts";
import { DEFAULT_ROOT_MODE, LayerRoots } from "./layer_roots.ts";
import { isLayerFolder, layerHex } from "./layer_name.ts";
import { sweep } from "../helpers/sweeper.ts";
import { makeFolder, namesIn, removeTree } from "../helpers/tree.ts";
import { discardFolder } from "./discard_folder.ts";
import { unpackLayer } from "./unpack.ts";
import { hasSystemCode } from "../../../oci/system_error.ts";

/** The layers of a host. Its methods are those of the port `Layers`. */
export class LayerFolders {
  /** The copies of layers that have other owners. */
  readonly copies: OwnedCopies;
  readonly #context: HostContext;
  readonly #folder: string;
  readonly #partial: string;
  readonly #links: LayerLinks;
  readonly #roots = new LayerRoots((hex) => this.#layer(hex));

  private constructor(context: HostContext, partial: string, links: LayerLinks) {
    this.#context = context;
    this.#folder = context.paths.layers;
    this.#partial = partial;
    this.#links = links;
    this.copies = new OwnedCopies(context.paths, partial);
  }

  /** Opens the layers, and sweeps what an earlier process left unfinished. */
  static async open(context: HostContext): Promise<LayerFolders> {
    const { layers } = context.paths;
    const partial = join(layers, "partial");
    await makeFolder(partial, { mode: 0o700, isTop: true, log: context.log });
    await sweep(context, (await namesIn(partial)).map((name) => join(partial, name)));
    const present = new Set((await namesIn(layers)).filter(isLayerFolder));
    const links = await LayerLinks.open(join(layers, "links"), (hex) => present.has(hex), context.log);
    return new LayerFolders(context, partial, links);
  }

  async has(diffID: string): Promise<boolean> {
    return await access(this.#layer(layerHex(diffID))).then(() => true, () => false);
  }

  inspect = (diffID: string): Promise<UnpackedLayer | undefined> => inspectLayer(this.#layer(layerHex(diffID)));

  compare = (diffID: string, tar: ReadableStream<Uint8Array>): Promise<string[]> =>
    compareLayer(this.#layer(layerHex(diffID)), tar);

  async apply(
    diffID: string | (() => Promise<string>),
    tar: ReadableStream<Uint8Array>,
    { replace = false } = {},
  ): Promise<void> {
    if (!replace && typeof diffID === "string" && await this.has(diffID)) return await tar.cancel();
    const temporary = join(this.#partial, randomUUID());
    const diff = join(temporary, "diff");
    try {
      await mkdir(temporary, { mode: 0o700 });
      // Mode 0 stays when the archive has no entry for its root: the container's root is then like that of the layer below.
      await mkdir(diff);
      await chmod(diff, 0);
      await unpackLayer(tar, diff);
      const { mode, uid, gid } = await stat(diff);
      const root = (mode & 0o7777) === 0 ? null : { mode: mode & 0o7777, uid, gid };
      if (root === null) await chmod(diff, DEFAULT_ROOT_MODE);
      await this.#publish(
        temporary,
        { root },
        typeof diffID === "string" ? () => Promise.resolve(diffID) : diffID,
        replace,
      );
    } catch (error) {
      await removeTree(temporary);
      throw error;
    }
  }

  /** Makes a layer of a folder that a container has written into; `false` where it lies on another file system. */
  async adopt(folder: string, diffID: string): Promise<boolean> {
    const temporary = join(this.#partial, randomUUID());
    const diff = join(temporary, "diff");
    try {
      await mkdir(temporary, { mode: 0o700 });
      try {
        await rename(folder, diff);
      } catch (error) {
        if (!hasSystemCode(error, "EXDEV")) throw error;
        await removeTree(temporary);
        return false;
      }
      // A changeset says nothing of its root.
      await chown(diff, 0, 0);
      await chmod(diff, DEFAULT_ROOT_MODE);
      await this.#publish(temporary, { root: null }, () => Promise.resolve(diffID));
      return true;
    } catch (error) {
      await removeTree(temporary);
      throw error;
    }
  }

  /** Gives a layer that is whole its note and its name. */
  async #publish(
    temporary: string,
    facts: LayerFacts,
    diffID: () => Promise<string>,
    replace = false,
  ): Promise<void> {
    await writeFile(join(temporary, "layer.json"), JSON.stringify(facts));
    const hex = layerHex(await diffID());
    await this.#links.get(hex);
    this.#roots.forget(hex);
    if (replace) {
      await this.copies.removeLayer(hex);
      await this.discard(this.#layer(hex));
    }
    await rename(temporary, this.#layer(hex)).catch(async (error: NodeJS.ErrnoException) => {
      // Somebody else unpacked the same layer meanwhile.
      if (!hasSystemCode(error, "ENOTEMPTY", "EEXIST")) throw error;
      await removeTree(temporary);
    });
  }

  /** Makes every layer that is there durable. */
  sync(): Promise<void> {
    return syncFileSystem(this.#folder);
  }

  async remove(diffID: string): Promise<void> {
    const hex = layerHex(diffID);
    await this.#links.remove(hex);
    this.#roots.forget(hex);
    await this.copies.removeLayer(hex);
    // Out of sight at once. Where room is short its caller waits until there is more.
    const isBehind = this.#context.sweeper !== undefined && await hasPlenty(this.#folder);
    await this.discard(this.#layer(hex), isBehind ? (doomed) => sweep(this.#context, [doomed]) : removeTree);
  }

  async list(): Promise<string[]> {
    return (await namesIn(this.#folder)).filter(isLayerFolder).map((hex) => `sha256:${hex}`);
  }

  /** The overlay's lower folders, top to base, relative to the layers' folder: as short as they can be. */
  async lower(diffIDs: readonly string[]): Promise<string[]> {
    const hexes = diffIDs.map(layerHex).reverse();
    const missing = hexes.find((hex) => !existsSync(this.#layer(hex)));
    if (missing !== undefined) {
      throw new EngineError("internal", `Mount container tree: layer "sha256:${missing}" is missing`);
    }
    // The kernel refuses a layer that is stacked twice, and the upper one of two equal layers decides all by itself.
    const names = await Promise.all([...new Set(hexes)].map((hex) => this.#links.get(hex)));
    if (names.length > 0) return names.map((name) => `links/${name}`);
    await mkdir(join(this.#folder, "empty"), { recursive: true, mode: 0o755 });
    return ["empty"];
  }

  /** The attributes of the root of these layers, the base first. */
  rootOf(diffIDs: readonly string[]): ReturnType<LayerRoots["attributes"]> {
    return this.#roots.attributes(diffIDs);
  }

  /** Takes a folder out of sight at once, then deletes it. */
  discard(folder: string, remove?: (path: string) => Promise<void>): Promise<void> {
    return discardFolder(folder, this.#partial, remove);
  }

  #layer(hex: string): string {
    return join(this.#folder, hex);
  }
}
