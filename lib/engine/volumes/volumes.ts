import { messageOf } from "../../oci/message_of.ts";
import type { Containers } from "../containers/containers.ts";
import type { ContainersCore } from "../containers/context.ts";
import { hostOf, requireHost } from "../core.ts";
import { EngineError } from "../errors.ts";
import type { FolderRights, VolumeRecord } from "../records/volume_record.ts";
import { encode } from "../store/json.ts";
import { requireSize } from "../store/value_size.ts";
import { randomID } from "../text/names.ts";
import { exportVolume, importVolume, type TransferContext } from "./transfer.ts";
import { listPredicate, type VolumeFilters, type VolumeFilterSources, volumePrunePredicate } from "./volume_filters.ts";
import { readImageOption, readVolumeOptions } from "./volume_options.ts";
import type { VolumeStore } from "./volume_store.ts";

/** How a volume is made. */
export interface VolumeRequest {
  /** Without one it is anonymous, and its name 64 hex digits. */
  name?: string;
  /** `local`, the default, or `image`: it begins with the files of the image that the option `image` names. */
  driver?: string;
  labels?: Record<string, string>;
  /** `type`, `device` and `o`, as mount(8) takes them; see {@linkcode readVolumeOptions}. */
  options?: Record<string, string>;
  /** The owner of the volume's folder, instead of what the options say; root without either. */
  uid?: number;
  gid?: number;
  /** One of that name is left as it is, and returned. */
  ignoreIfExists?: boolean;
}

/** How a volume is removed. */
export interface VolumeRemoval {
  /** Remove the containers that have it, too. */
  force?: boolean;
  /** Seconds a container gets to stop. */
  timeout?: number;
}

/** The outcome of a prune for one volume. */
export interface PrunedVolume {
  name: string;
  /** Bytes. */
  size: number;
  error?: Error;
}

/** The engine's volumes: folders that outlive containers, and archives where there is no host. */
export class Volumes {
  readonly #core: ContainersCore;
  readonly #store: VolumeStore;
  readonly #containers: Containers;
  readonly #transfers: TransferContext;
  /** How many commands of builds are about to use a folder that is kept: no container has it yet. */
  readonly #held = new Map<string, number>();

  constructor(core: ContainersCore, store: VolumeStore, containers: Containers) {
    this.#core = core;
    this.#store = store;
    this.#containers = containers;
    this.#transfers = { core, store, newUser: () => `transfer:${randomID(core.random)}` };
  }

  /** The volume of that name. Throws `no_such_volume`. */
  resolve(name: string): VolumeRecord {
    return this.#store.resolve(name);
  }

  exists(name: string): boolean {
    return this.#store.exists(name);
  }

  /** The folder of a volume on the host; empty where there is no such volume, or no host. */
  mountpoint(name: string): string {
    return this.exists(name) ? this.resolve(name).mountpoint : "";
  }

  /** Volumes that fit all filters, by name. Throws `invalid` for a filter there is not. */
  list(filters: VolumeFilters = {}): VolumeRecord[] {
    return this.#ordinary().filter(listPredicate(filters, this.#sources()));
  }

  /** The folders that commands of builds keep: they are the build cache's, and not in {@linkcode list}. */
  caches(): VolumeRecord[] {
    return this.#store.list().filter(({ cache }) => cache !== undefined);
  }

  /** Whether a container has a folder that is kept, or a command is about to. */
  isCacheUsed(name: string): boolean {
    return this.#held.has(name) || this.usersOf(name).length > 0;
  }

  /**
   * Notes that a command of a build uses a folder that is kept, and makes it where there is none. Nobody removes it until the result is disposed.
   * A volume that somebody has made by that name, with labels or options, stays a volume.
   */
  async useCache(name: string, text: string, owner: FolderRights): Promise<Disposable> {
    this.#held.set(name, (this.#held.get(name) ?? 0) + 1);
    const hold = {
      [Symbol.dispose]: () => {
        const left = (this.#held.get(name) ?? 1) - 1;
        if (left > 0) this.#held.set(name, left);
        else this.#held.delete(name);
      },
    };
    try {
      await this.#noteCache(name, text, owner);
      return hold;
    } catch (error) {
      hold[Symbol.dispose]();
      throw error;
    }
  }

  async #noteCache(name: string, text: string, owner: FolderRights): Promise<void> {
    const usedAt = this.#core.clock.now();
    await this.#store.ensure(name, { cache: { text, usedAt, uses: 0 }, owner });
    await this.#store.update(name, (record) => {
      const isOwn = record.cache !== undefined || Object.keys({ ...record.labels, ...record.options }).length === 0;
      if (!isOwn) return record;
      const known = record.cache ?? { text, uses: 0 };
      return { ...record, cache: { ...known, usedAt, uses: known.uses + 1 } };
    });
  }

  /** The IDs of the containers that have a volume. */
  usersOf(name: string): string[] {
    return this.#containers.withVolume(name).map(({ id }) => id);
  }

  /** How many users keep a volume's device mounted; 0 for a volume without one. */
  mountCount(name: string): number {
    return this.#store.mountCount(name);
  }

  /** Bytes of the files in a volume. */
  async size(name: string): Promise<number> {
    const { archives = [] } = this.resolve(name);
    const host = hostOf(this.#core);
    return host ? await host.volumes.size(name) : archives.reduce((sum, { size }) => sum + size, 0);
  }

  /** Bytes of the files in several volumes, in order; 0 for one that has gone. */
  async sizes(names: readonly string[]): Promise<number[]> {
    const host = hostOf(this.#core);
    if (host) return await host.volumes.sizes(names);
    const archives = names.map((name) => this.exists(name) ? this.resolve(name).archives ?? [] : []);
    return archives.map((list) => list.reduce((sum, { size }) => sum + size, 0));
  }

  /** Makes a volume. Throws `name_in_use`, or `invalid` for a driver or options there are not. */
  async create(request: VolumeRequest = {}): Promise<VolumeRecord> {
    const { driver = "local", labels = {}, options = {}, ignoreIfExists = false } = request;
    const name = request.name || randomID(this.#core.random);
    const known = ignoreIfExists && this.exists(name);
    if (known) return this.resolve(name);
    if (driver !== "local" && driver !== "image") throw noSuchDriver(name, driver);
    const { labelBytes } = this.#core.options.limits;
    requireSize("Create volume", "labels", encode(labels), labelBytes);
    if (driver === "image") return await this.#createOfImage(name, request);
    const { shown, device, limit, ...owner } = readVolumeOptions(options);
    const { uid = owner.uid, gid = owner.gid } = request;
    if (device?.type === "bind" || device?.options.split(",").includes("bind")) {
      await this.#requireFolder(device.source);
    }
    return await this.#store.create(name, {
      anonymous: !request.name,
      labels,
      options: shown,
      device,
      limit,
      ...(uid !== undefined || gid !== undefined) && { owner: { uid: uid ?? 0, gid: gid ?? 0 } },
    });
  }

  /**
   * Removes a volume by its name, or by the beginning of it that no other has. Throws `in_use` where containers have it,
   * unless it is forced.
   */
  async remove(nameOrPrefix: string, { force, timeout }: VolumeRemoval = {}): Promise<void> {
    const { name } = this.#store.lookUp(nameOrPrefix);
    if (force) {
      for (const id of this.usersOf(name)) {
        await this.#containers.remove(id, { force: true, ignore: true, depend: true, timeout });
      }
    }
    await this.#delete(name);
  }

  /**
   * Removes the volumes that no container has and all filters fit: the anonymous ones without a filter, every one with
   * `all`. One that cannot go does not keep the others; `dryRun` only lists them.
   */
  async prune(filters: VolumeFilters = {}, { dryRun = false } = {}): Promise<PrunedVolume[]> {
    const fits = volumePrunePredicate(filters, this.#sources());
    const pruned: PrunedVolume[] = [];
    for (const volume of this.#ordinary()) {
      const { name } = volume;
      if (!fits(volume) || this.usersOf(name).length > 0) continue;
      const size = await this.size(name).catch(() => 0);
      try {
        if (!dryRun) await this.#delete(name);
        pruned.push({ name, size });
      } catch (error) {
        if (error instanceof EngineError && (error.code === "in_use" || error.code === "no_such_volume")) continue;
        pruned.push({ name, size: 0, error: error instanceof Error ? error : new Error(messageOf(error)) });
      }
    }
    return pruned;
  }

  /** Reads a volume's content as a plain tar. The reader must end or cancel it. */
  export(name: string): Promise<ReadableStream<Uint8Array>> {
    return exportVolume(this.#transfers, this.resolve(name));
  }

  /** Unpacks a tar archive, plain or compressed, over what a volume has. Throws `invalid` for what is none. */
  async import(name: string, archive: ReadableStream<Uint8Array>, signal?: AbortSignal): Promise<void> {
    await importVolume(this.#transfers, this.resolve(name), archive, signal);
  }

  #ordinary(): VolumeRecord[] {
    return this.#store.list().filter(({ cache }) => cache === undefined);
  }

  async #delete(name: string): Promise<void> {
    const { archives = [] } = this.resolve(name);
    // Held until the record is gone, so that the end of the claim deletes them.
    const claim = archives.length > 0 ? this.#core.images.claimContent() : undefined;
    for (const { digest } of archives) claim?.add(`blob:${digest}`);
    try {
      await this.#store.remove(name, () => {
        const users = this.usersOf(name);
        if (users.length > 0 || this.#held.has(name)) throw isBeingUsed(name, users);
      });
    } finally {
      await claim?.end("delete");
    }
  }

  async #createOfImage(name: string, { name: asked, labels, options = {}, uid, gid }: VolumeRequest) {
    const { images } = this.#core;
    requireHost(this.#core);
    const { id, layers } = images.resolve(readImageOption(options));
    using _image = images.pin(id);
    return await this.#store.create(name, {
      anonymous: !asked,
      labels,
      options,
      imageLayers: layers.map(({ diffID }) => diffID),
      ...(uid !== undefined || gid !== undefined) && { owner: { uid: uid ?? 0, gid: gid ?? 0 } },
    });
  }

  async #requireFolder(path: string): Promise<void> {
    const host = hostOf(this.#core);
    if (host === undefined || await host.files.exists(path)) return;
    const text = `invalid volume option device for driver 'local': stat ${path}: no such file or directory`;
    throw new EngineError("invalid", text);
  }

  #sources(): VolumeFilterSources {
    return {
      volume: (name) => this.#store.lookUp(name),
      isUsed: (name) => this.usersOf(name).length > 0,
      now: this.#core.clock.now(),
    };
  }
}

function noSuchDriver(name: string, driver: string): EngineError {
  const sentinel = "required plugin missing";
  const text =
    `volume ${name} uses volume plugin ${driver} but it could not be retrieved: no volume plugin with name ${driver} available`;
  return new EngineError("invalid", `${text}: ${sentinel}`, { sentinel });
}

function isBeingUsed(name: string, users: readonly string[]): EngineError {
  const sentinel = "volume is being used";
  const text = `volume ${name} is being used by the following container(s): ${users.join(", ")}`;
  return new EngineError("in_use", `${text}: ${sentinel}`, { sentinel });
}
