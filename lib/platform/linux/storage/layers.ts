/**
 * Unpacked layers and the trees of containers, stacked by the kernel's overlay.
 *
 * ```text
 * root/layers/<hex>/diff          a layer's content          root/containers/<id>/upper    what a container wrote
 * root/layers/<hex>/layer.json    what its root is           root/containers/<id>/work     overlay's own
 * root/layers/links/<number>      -> ../<hex>/diff           root/containers/<id>/merged   where its tree is mounted
 * root/layers/partial/<random>    what is not whole yet, or no longer
 * ```
 *
 * @module
 */
import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { access, chmod, chown, mkdir, realpath, rename, stat, symlink, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { EngineError } from "../../../engine/errors.ts";
import type { Layers, UnpackedLayer } from "../../../engine/ports/host_port.ts";
import type { TreeLimit } from "../../../engine/records/limits.ts";
import type { TreeOptions } from "../../../engine/ports/tree_stack.ts";
import { hasPlenty, requireRoom } from "../../storage/disk_room.ts";
import type { HostContext } from "../helpers/context.ts";
import { FileSystemSync } from "./file_system_sync.ts";
import { OwnedCopies } from "./owned_copies.ts";
import { LayerLinks } from "./layer_links.ts";
import { compareLayer, inspectLayer } from "./layer_check.ts";
import type { LayerFacts } from "./layer_facts.ts";
import { DEFAULT_ROOT_MODE, LayerRoots } from "./layer_roots.ts";
import { isLayerFolder, layerHex } from "./layer_name.ts";
import { clearMappedOwners, withLinksTo, withLinkTo, withMappedOwners } from "./lower_folders.ts";
import { requireWay } from "./folder_way.ts";
import { isMountPoint, mountOverlay, overlayFeatures, unmountAll, volatileOption } from "../mounts/overlay.ts";
import { containerPaths, type HostPaths } from "../helpers/paths.ts";
import { readInside } from "../helpers/safe_path.ts";
import { ProjectQuotas } from "./project_quotas.ts";
import { giveTo, lookLike } from "./tree_owner.ts";
import { sweep } from "../helpers/sweeper.ts";
import { makeMissing } from "../helpers/make_missing.ts";
import { makeFolder, namesIn, removeFolder, removeTree, treeSize, treeSizes } from "../helpers/tree.ts";
import { isRootless } from "../rootless/outer_user.ts";
import { unpackLayer } from "./unpack.ts";
import { syncFolder } from "../../storage/sync_folder.ts";
import { hasSystemCode } from "../../../oci/system_error.ts";

/** Layers, and where on the host they are stacked. */
export interface HostLayers extends Layers {
  /** The overlay's lower folders, top to base, relative to the layers' folder: as short as they can be. */
  lower(diffIDs: readonly string[]): Promise<string[]>;
}

/** Opens the layers of a host and sweeps what an earlier process left unfinished. */
export async function openLayers(context: HostContext): Promise<HostLayers> {
  const { layers } = context.paths;
  await clearMappedOwners(context.paths.shared, context.log);
  const partial = join(layers, "partial");
  await makeFolder(partial, { mode: 0o700, log: context.log });
  await sweep(context, (await namesIn(partial)).map((name) => join(partial, name)));
  const present = new Set((await namesIn(layers)).filter(isLayerFolder));
  const links = await LayerLinks.open(join(layers, "links"), (hex) => present.has(hex), context.log);
  return new OverlayLayers(context, partial, links, await overlayFeatures());
}

class OverlayLayers implements HostLayers {
  readonly isUsers: boolean = isRootless();
  readonly #context: HostContext;
  readonly #paths: HostPaths;
  readonly #partial: string;
  readonly #links: LayerLinks;
  readonly #features: readonly string[];
  readonly #sync: FileSystemSync;
  readonly #quotas: ProjectQuotas;
  readonly #copies: OwnedCopies;
  readonly #roots = new LayerRoots((hex) => this.#layer(hex));
  readonly #mounting = new Map<string, Promise<string>>();

  constructor(context: HostContext, partial: string, links: LayerLinks, features: readonly string[]) {
    this.#context = context;
    this.#paths = context.paths;
    this.#partial = partial;
    this.#links = links;
    this.#features = features;
    this.#quotas = new ProjectQuotas(context.log);
    this.#copies = new OwnedCopies(context.paths, partial);
    this.#sync = new FileSystemSync(context.paths.layers);
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

  async adopt(containerID: string, diffID: string): Promise<boolean> {
    await this.unmount(containerID);
    const temporary = join(this.#partial, randomUUID());
    const diff = join(temporary, "diff");
    try {
      await mkdir(temporary, { mode: 0o700 });
      try {
        await rename(this.#upper(containerID), diff);
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

  /** Gives a layer that is whole its note and, when it is on the disk, its name. */
  async #publish(
    temporary: string,
    facts: LayerFacts,
    diffID: () => Promise<string>,
    replace = false,
  ): Promise<void> {
    await writeFile(join(temporary, "layer.json"), JSON.stringify(facts));
    const hex = layerHex(await diffID());
    await this.#sync.run();
    await this.#links.get(hex);
    this.#roots.forget(hex);
    if (replace) await this.#discard(this.#layer(hex), removeTree);
    await rename(temporary, this.#layer(hex)).catch(async (error: NodeJS.ErrnoException) => {
      // Somebody else unpacked the same layer meanwhile.
      if (!hasSystemCode(error, "ENOTEMPTY", "EEXIST")) throw error;
      await removeTree(temporary);
    });
    await syncFolder(this.#paths.layers);
  }

  async remove(diffID: string): Promise<void> {
    const hex = layerHex(diffID);
    await this.#links.remove(hex);
    this.#roots.forget(hex);
    await this.#copies.removeLayer(hex);
    // Out of sight at once. Where room is short its caller waits until there is more.
    const isBehind = this.#context.sweeper !== undefined && await hasPlenty(this.#paths.layers);
    await this.#discard(this.#layer(hex), isBehind ? (doomed) => sweep(this.#context, [doomed]) : removeTree);
  }

  async list(): Promise<string[]> {
    return (await namesIn(this.#paths.layers)).filter(isLayerFolder).map((hex) => `sha256:${hex}`);
  }

  async create(containerID: string, diffIDs: readonly string[], limit?: TreeLimit): Promise<void> {
    const { storage } = containerPaths(this.#paths, containerID);
    if (limit !== undefined) {
      await this.#quotas.require(this.#paths.containers);
      makeMissing(storage, 0o700);
      await this.#quotas.limit(storage, limit);
    }
    await this.#makeTree(storage, diffIDs);
  }

  /** Makes the folders of an overlay; its upper one looks like the root of the layers. */
  async #makeTree(storage: string, diffIDs: readonly string[]): Promise<void> {
    const root = await this.#roots.attributes(diffIDs);
    const upper = join(storage, "upper");
    for (const path of [storage, upper, join(storage, "work"), join(storage, "merged")]) makeMissing(path, 0o700);
    await chown(upper, root.uid, root.gid);
    await chmod(upper, root.mode);
  }

  mount(containerID: string, diffIDs: readonly string[], options: TreeOptions = {}): Promise<string> {
    // Two callers at once must not both find nothing mounted.
    const running = this.#mounting.get(containerID);
    if (running !== undefined) return running;
    const mounting = this.#mount(containerID, diffIDs, options).finally(() => this.#mounting.delete(containerID));
    this.#mounting.set(containerID, mounting);
    return mounting;
  }

  async #mount(containerID: string, diffIDs: readonly string[], options: TreeOptions): Promise<string> {
    const { rootfs } = options;
    const { storage } = containerPaths(this.#paths, containerID);
    const target = join(storage, "merged");
    if (rootfs !== undefined && !rootfs.overlay) {
      // Whoever looks for the container's tree follows the link.
      await removeTree(target);
      await symlink(rootfs.path, target);
      return rootfs.path;
    }
    if (isMountPoint(target)) return target;
    await this.#quotas.renew(storage);
    if (rootfs !== undefined) await lookLike(join(storage, "upper"), rootfs.path);
    if (options.rootOwner !== undefined) await requireWay(storage, options.idMaps);
    await giveTo(storage, options.rootOwner);
    await this.#stack({ storage }, rootfs?.path ?? diffIDs, options);
    return target;
  }

  async mountImage(
    containerID: string,
    number: number,
    diffIDs: readonly string[],
    options: TreeOptions = {},
  ): Promise<void> {
    const { images, storage } = containerPaths(this.#paths, containerID);
    const folder = join(images, String(number));
    await unmountAll(join(folder, "merged"));
    await removeTree(folder);
    await this.#makeTree(folder, diffIDs);
    await giveTo(folder, options.rootOwner);
    await this.#stack({ storage, folder }, diffIDs, options);
  }

  /** Mounts layers, or a folder of the host, below a folder's `upper` on its `merged`; the folder is, or is in, the container's. */
  async #stack(
    { storage, folder = storage }: { storage: string; folder?: string },
    tree: string | readonly string[],
    options: TreeOptions,
  ): Promise<void> {
    const { layers } = this.#paths;
    const { userns } = options;
    const further = options.volatile ? await volatileOption(join(folder, "work")) : [];
    const target = join(folder, "merged");
    const names = typeof tree === "string" ? undefined : await this.lower(tree);
    const mountFrom = async (base: string, lower: readonly string[]) => {
      const way = relative(base, folder);
      const overlay = { base, lower, upper: `${way}/upper`, work: `${way}/work`, target };
      await mountOverlay(overlay, [...this.#features, ...further]);
    };
    if (userns === undefined) {
      if (names !== undefined) return await mountFrom(layers, names);
      return await withLinkTo(tree as string, join(folder, "lower"), () => mountFrom(folder, ["lower"]));
    }
    const sources = names?.map((name) => join(layers, name)) ?? [tree as string];
    if (!this.isUsers || names === undefined) {
      return await withMappedOwners(userns, sources, this.#paths.shared, mountFrom);
    }
    // The kernel shows no user's folders with other owners.
    const real = await Promise.all(sources.map((source) => realpath(source)));
    await withLinksTo(await this.#copies.get(storage, real, options), this.#paths.shared, mountFrom);
  }

  async unmount(containerID: string): Promise<void> {
    await this.#mounting.get(containerID)?.catch(() => {});
    const { images, overlays } = containerPaths(this.#paths, containerID);
    for (const folder of [images, overlays]) {
      for (const name of await namesIn(folder)) await unmountAll(join(folder, name, "merged"));
    }
    await unmountAll(this.#merged(containerID));
  }

  async destroy(containerID: string, { behind = false } = {}): Promise<void> {
    await this.unmount(containerID);
    const { storage } = containerPaths(this.#paths, containerID);
    await this.#quotas.release(storage);
    await this.#copies.release(storage);
    const remove = behind ? (doomed: string) => sweep(this.#context, [doomed]) : removeFolder;
    await this.#discard(storage, remove);
  }

  containers = (): Promise<string[]> => namesIn(this.#paths.containers);

  usage = (containerID: string): Promise<number> => treeSize(this.#upper(containerID));

  usages = (containerIDs: readonly string[]): Promise<number[]> => treeSizes(containerIDs.map((id) => this.#upper(id)));

  requireRoom = (bytes: number, what: string): Promise<void> => requireRoom(this.#paths.layers, bytes, what);

  async readFile(containerID: string, path: string, limit: number): Promise<Uint8Array | undefined> {
    return await readInside(this.#merged(containerID), path, limit);
  }

  /** Takes a tree out of sight at once, then deletes it. */
  async #discard(folder: string, remove: (path: string) => Promise<void>): Promise<void> {
    const doomed = join(this.#partial, randomUUID());
    try {
      await rename(folder, doomed);
    } catch (error) {
      if (hasSystemCode(error, "ENOENT")) return;
      throw error;
    }
    await remove(doomed);
  }

  async lower(diffIDs: readonly string[]): Promise<string[]> {
    const hexes = diffIDs.map(layerHex).reverse();
    const missing = hexes.find((hex) => !existsSync(this.#layer(hex)));
    if (missing !== undefined) {
      throw new EngineError("internal", `Mount container tree: layer "sha256:${missing}" is missing`);
    }
    // The kernel refuses a layer that is stacked twice, and the upper one of two equal layers decides all by itself.
    const names = await Promise.all([...new Set(hexes)].map((hex) => this.#links.get(hex)));
    if (names.length > 0) return names.map((name) => `links/${name}`);
    await mkdir(join(this.#paths.layers, "empty"), { recursive: true, mode: 0o755 });
    return ["empty"];
  }

  #layer(hex: string): string {
    return join(this.#paths.layers, hex);
  }

  #upper(containerID: string): string {
    return join(containerPaths(this.#paths, containerID).storage, "upper");
  }

  #merged(containerID: string): string {
    return join(containerPaths(this.#paths, containerID).storage, "merged");
  }
}
