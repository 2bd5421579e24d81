/**
 * Unpacked layers, and the trees of containers, which the kernel's overlay stacks upon them.
 *
 * ```text
 * root/containers/<id>/upper      what a container wrote
 * root/containers/<id>/work       overlay's own
 * root/containers/<id>/merged     where its tree is mounted
 * ```
 *
 * @module
 */
import { chmod, chown, realpath, symlink } from "node:fs/promises";
import { join, relative } from "node:path";
import type { Layers, UnpackedLayer } from "../../../engine/ports/host_port.ts";
import type { TreeLimit } from "../../../engine/records/limits.ts";
import type { TreeOptions } from "../../../engine/ports/tree_stack.ts";
import { requireRoom } from "../../storage/disk_room.ts";
import type { HostContext } from "../helpers/context.ts";
import { LayerFolders } from "./layer_folders.ts";
import { clearMappedOwners, withLinksTo, withLinkTo, withMappedOwners } from "./lower_folders.ts";
import { requireWay } from "./folder_way.ts";
import { isMountPoint, mountOverlay, overlayFeatures, unmountAll, volatileOption } from "../mounts/overlay.ts";
import { containerPaths, type HostPaths } from "../helpers/paths.ts";
import { readInside } from "../helpers/safe_path.ts";
import { ProjectQuotas } from "./project_quotas.ts";
import { giveTo, lookLike } from "./tree_owner.ts";
import { sweep } from "../helpers/sweeper.ts";
import { makeMissing } from "../helpers/make_missing.ts";
import { namesIn, removeFolder, removeTree, treeSize, treeSizes } from "../helpers/tree.ts";
import { isRootless } from "../rootless/outer_user.ts";

/** Layers, and where on the host they are stacked. */
export interface HostLayers extends Layers {
  /** The overlay's lower folders, top to base, relative to the layers' folder: as short as they can be. */
  lower(diffIDs: readonly string[]): Promise<string[]>;
}

/** Opens the layers of a host and sweeps what an earlier process left unfinished. */
export async function openLayers(context: HostContext): Promise<HostLayers> {
  await clearMappedOwners(context.paths.shared, context.log);
  const folders = await LayerFolders.open(context);
  return new OverlayLayers(context, folders, await overlayFeatures());
}

class OverlayLayers implements HostLayers {
  readonly isUsers: boolean = isRootless();
  readonly #context: HostContext;
  readonly #paths: HostPaths;
  readonly #folders: LayerFolders;
  readonly #features: readonly string[];
  readonly #quotas: ProjectQuotas;
  readonly #mounting = new Map<string, Promise<string>>();

  constructor(context: HostContext, folders: LayerFolders, features: readonly string[]) {
    this.#context = context;
    this.#paths = context.paths;
    this.#folders = folders;
    this.#features = features;
    this.#quotas = new ProjectQuotas(context.log);
  }

  has = (diffID: string): Promise<boolean> => this.#folders.has(diffID);

  inspect = (diffID: string): Promise<UnpackedLayer | undefined> => this.#folders.inspect(diffID);

  compare: Layers["compare"] = (diffID, tar) => this.#folders.compare(diffID, tar);

  apply: Layers["apply"] = (diffID, tar, options) => this.#folders.apply(diffID, tar, options);

  sync = (): Promise<void> => this.#folders.sync();

  remove = (diffID: string): Promise<void> => this.#folders.remove(diffID);

  list = (): Promise<string[]> => this.#folders.list();

  lower = (diffIDs: readonly string[]): Promise<string[]> => this.#folders.lower(diffIDs);

  async adopt(containerID: string, diffID: string): Promise<boolean> {
    await this.unmount(containerID);
    return await this.#folders.adopt(this.#upper(containerID), diffID);
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
    const root = await this.#folders.rootOf(diffIDs);
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
    await withLinksTo(await this.#folders.copies.get(storage, real, options), this.#paths.shared, mountFrom);
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
    await this.#folders.copies.release(storage);
    const remove = behind ? (doomed: string) => sweep(this.#context, [doomed]) : removeFolder;
    await this.#folders.discard(storage, remove);
  }

  containers = (): Promise<string[]> => namesIn(this.#paths.containers);

  usage = (containerID: string): Promise<number> => treeSize(this.#upper(containerID));

  usages = (containerIDs: readonly string[]): Promise<number[]> => treeSizes(containerIDs.map((id) => this.#upper(id)));

  requireRoom = (bytes: number, what: string): Promise<void> => requireRoom(this.#paths.layers, bytes, what);

  async readFile(containerID: string, path: string, limit: number): Promise<Uint8Array | undefined> {
    return await readInside(this.#merged(containerID), path, limit);
  }

  #upper(containerID: string): string {
    return join(containerPaths(this.#paths, containerID).storage, "upper");
  }

  #merged(containerID: string): string {
    return join(containerPaths(this.#paths, containerID).storage, "merged");
  }
}
