import { messageOf } from "../../oci/message_of.ts";
import { isCode } from "../containers/failures.ts";
import { type Core, hostOf, requireHost } from "../core.ts";
import { EngineError } from "../errors.ts";
import type { DeleteOptions, FillOwner } from "../ports/host_port.ts";
import type { TreeLimit } from "../records/limits.ts";
import type { CacheMount, FolderRights, VolumeDevice, VolumeRecord } from "../records/volume_record.ts";
import type { Intent } from "../store/intents.ts";
import type { Operation, Table } from "../store/table.ts";
import { checkName, MAX_FOLDER_NAME, randomID } from "../text/names.ts";

/** How a volume is made. */
export interface NewVolume {
  anonymous?: boolean;
  labels?: Record<string, string>;
  options?: Record<string, string>;
  owner?: FolderRights;
  device?: VolumeDevice;
  limit?: TreeLimit;
  /** The layers of the image whose files it begins with, base first; the caller keeps the image from going. */
  imageLayers?: readonly string[];
  /** Nothing is copied into it from an image. */
  cache?: CacheMount;
}

/** The records of volumes, and what containers do with them. {@linkcode Volumes} is what callers of the engine have. */
export class VolumeStore {
  readonly #core: Core;
  readonly #table: Table<VolumeRecord>;
  /** Containers and transfers that keep a volume's device mounted. */
  readonly #users = new Map<string, Set<string>>();

  constructor(core: Core) {
    this.#core = core;
    this.#table = core.state.table("volumes");
  }

  /** The volume of that name. Throws `no_such_volume`. */
  resolve(name: string): VolumeRecord {
    const record = this.#table.get(name);
    if (record) return record;
    throw noSuchVolume(name);
  }

  /** The volume of that name, else the only one whose name begins so. Throws `no_such_volume` or `ambiguous`. */
  lookUp(name: string): VolumeRecord {
    const exact = this.#table.get(name);
    if (exact) return exact;
    // Nobody who makes volumes sees the folders of builds.
    const matches = name === "" ? [] : this.#table.withPrefix(name).filter(({ cache }) => cache === undefined);
    if (matches.length === 1) return matches[0];
    if (matches.length === 0) throw noSuchVolume(name);
    const sentinel = "volume already exists";
    throw new EngineError("ambiguous", `more than one result for volume name "${name}": ${sentinel}`, { sentinel });
  }

  exists(name: string): boolean {
    return this.#table.has(name);
  }

  /** Every volume, by name. */
  list(): VolumeRecord[] {
    return this.#table.values().sort((a, b) => a.name < b.name ? -1 : 1);
  }

  /**
   * Makes a volume where there is none of that name yet. A host folder that was begun and not recorded is taken up again:
   * its name is the same.
   */
  ensure(name: string, options: NewVolume = {}): Promise<VolumeRecord> {
    checkName(name, MAX_FOLDER_NAME);
    return this.#locked(name, async () => this.#table.get(name) ?? await this.#create(name, options));
  }

  /** Makes a volume. Throws `name_in_use` where there is one of that name. */
  create(name: string, options: NewVolume): Promise<VolumeRecord> {
    checkName(name, MAX_FOLDER_NAME);
    return this.#locked(name, async () => {
      if (!this.#table.has(name)) return await this.#create(name, options);
      const sentinel = "volume already exists";
      throw new EngineError("name_in_use", `volume with name ${name} already exists: ${sentinel}`, { sentinel });
    });
  }

  /**
   * Fills a volume that was never mounted from what the container's tree has at `path`. Its tree must be mounted. Where that
   * has nothing, the volume is given to the container's user, else to `owner`; one that was made with an owner keeps it.
   */
  async fill(name: string, containerID: string, path: string, { owner, user }: FillOwner = {}): Promise<void> {
    if (!this.#table.get(name)?.needsCopyUp) return;
    await this.#locked(name, async () => {
      const record = this.#table.get(name);
      if (!record?.needsCopyUp) return;
      const { volumes } = requireHost(this.#core);
      await volumes.copyUp(name, containerID, path, {
        owner: record.owner ?? owner,
        user: record.owner === undefined ? user : undefined,
        always: record.owner !== undefined,
      });
      await this.#core.state.commit([this.#table.put(name, { ...record, needsCopyUp: false })]);
    });
  }

  /** Mounts the volume's device, where it has one, until {@linkcode leave} was called for each of its users. */
  async use(name: string, user: string): Promise<void> {
    if (this.#table.get(name)?.device === undefined) return;
    await this.#locked(name, async () => {
      const device = this.#table.get(name)?.device;
      if (device === undefined) return;
      await requireHost(this.#core).volumes.mount(name, device);
      this.adopt(name, user);
    });
  }

  /** Counts a user of a device that an earlier process mounted. */
  adopt(name: string, user: string): void {
    if (this.#table.get(name)?.device === undefined) return;
    const users = this.#users.get(name) ?? new Set();
    this.#users.set(name, users.add(user));
  }

  /** Ends what {@linkcode use} began for a user, in all volumes. */
  async leave(user: string): Promise<void> {
    for (const [name, users] of this.#users) {
      if (!users.has(user)) continue;
      await this.#locked(name, async () => {
        users.delete(user);
        if (users.size > 0) return;
        this.#users.delete(name);
        await requireHost(this.#core).volumes.unmount(name);
      });
    }
  }

  /** How many users keep the volume's device mounted. */
  mountCount(name: string): number {
    return this.#users.get(name)?.size ?? 0;
  }

  /** Changes a volume's record. Throws `no_such_volume` where it has gone. */
  update(name: string, change: (record: VolumeRecord) => VolumeRecord | Promise<VolumeRecord>): Promise<void> {
    return this.#locked(name, async () => {
      await this.#core.state.commit([this.#table.put(name, await change(this.resolve(name)))]);
    });
  }

  /** Removes a volume that no container has, unless `check` throws. */
  remove(name: string, check: () => void = () => {}): Promise<void> {
    return this.#locked(name, async () => {
      check();
      const removal = this.planRemoval(name);
      await this.#core.state.commit(removal.operations);
      await removal.finish();
    });
  }

  /**
   * A removal in two parts: the operations to commit, with others if need be, and what to do on the host after that. Between
   * them a crash is made good by {@linkcode VolumeStore.recover}. Nothing, where there is no such volume.
   */
  planRemoval(name: string): { operations: Operation[]; finish: (options?: DeleteOptions) => Promise<void> } {
    const record = this.#table.get(name);
    if (record === undefined) return { operations: [], finish: () => Promise.resolve() };
    const host = hostOf(this.#core);
    const begun = host && this.#core.intents.begin("volume.remove", name);
    const finish = async (options?: DeleteOptions) => {
      if (host && begun) {
        if (record.device !== undefined) await host.volumes.unmount(name);
        this.#users.delete(name);
        await host.volumes.remove(name, options);
        this.#core.state.commitLater([this.#core.intents.end(begun.intent)]);
      }
      if (record.cache === undefined) this.#core.events.emit({ type: "volume", action: "remove", id: name, name });
    };
    return { operations: [this.#table.drop(name), ...begun ? [begun.operation] : []], finish };
  }

  /** Finishes creations and removals that were cut short. Called once, at start. */
  async recover(): Promise<void> {
    const { intents, state } = this.#core;
    // The record alone is on the disk when a creation is answered. A folder that a power cut took is made again: nothing was synced into it.
    for (const { name, owner, driver, limit } of this.#table.values()) {
      if (driver !== "image") await hostOf(this.#core)?.volumes.create(name, owner, limit);
    }
    if (intents.open().every(({ kind }) => !kind.startsWith("volume."))) return;
    const host = requireHost(this.#core);
    for (const intent of [...intents.open("volume.create"), ...intents.open("volume.remove")]) {
      const done: Operation[] = [intents.end(intent)];
      const record = this.#table.get(intent.subject);
      // A copy of an image may have been cut short.
      const isPart = record?.driver === "image" && intent.kind === "volume.create";
      if (record === undefined || isPart) {
        if (isPart) done.push(this.#table.drop(intent.subject));
        await host.volumes.unmount(intent.subject);
        await host.volumes.remove(intent.subject, { behind: true });
      }
      await state.commit(done);
    }
  }

  /** Puts the places that volumes have now into their records: the root may have been copied elsewhere. Called once, at start. */
  async relocate(): Promise<void> {
    const { volumes } = requireHost(this.#core);
    const moved = this.list().flatMap((record) => {
      const mountpoint = record.mountpoint === "" ? "" : volumes.path(record.name);
      return mountpoint === record.mountpoint ? [] : [this.#table.put(record.name, { ...record, mountpoint })];
    });
    if (moved.length > 0) await this.#core.state.commit(moved);
  }

  /** Unmounts devices that an earlier process mounted and nobody uses now. Called once, when the users are known. */
  async unmountUnused(): Promise<void> {
    const unused = this.list().filter(({ name, device }) => device !== undefined && this.mountCount(name) === 0);
    for (const { name } of unused) await requireHost(this.#core).volumes.unmount(name);
  }

  async #create(
    name: string,
    { owner, device, limit, imageLayers, cache, ...options }: NewVolume,
  ): Promise<VolumeRecord> {
    const { clock, intents, state, events } = this.#core;
    const host = imageLayers === undefined ? hostOf(this.#core) : requireHost(this.#core);
    if (limit && !host) throw cannotLimit("no project quota is set here");
    // A copy of an image that was cut short is a part of it; any other folder is made again by recovery.
    const begun = imageLayers === undefined ? undefined : intents.begin("volume.create", name);
    const record: VolumeRecord = {
      name,
      driver: imageLayers === undefined ? "local" : "image",
      created: new Date(clock.now()).toISOString(),
      labels: options.labels ?? {},
      options: options.options ?? {},
      anonymous: options.anonymous ?? false,
      needsCopyUp: imageLayers === undefined && cache === undefined,
      mountpoint: host?.volumes.path(name) ?? "",
      ...owner && { owner },
      ...device && { device },
      ...limit && { limit },
      ...cache && { cache },
    };
    // One commit for both: containers that find the record wait for the lock on the name before they use its folder.
    await state.commit([this.#table.put(name, record), ...begun ? [begun.operation] : []]);
    if (host) {
      try {
        await host.volumes.create(name, owner, limit);
        if (imageLayers !== undefined) await this.#copyImage(name, imageLayers);
      } catch (error) {
        const isUndone = await host.volumes.remove(name).then(() => true, () => false);
        await state.commit([this.#table.drop(name), ...this.#endOf(name, begun?.intent, isUndone)]);
        throw limit && isCode(error, "unsupported") ? cannotLimit(messageOf(error), error) : error;
      }
      if (begun) await state.commit([intents.end(begun.intent)]);
    }
    if (cache === undefined) events.emit({ type: "volume", action: "create", id: name, name });
    return record;
  }

  /** The operations that end a creation which failed: where its folder cannot be removed now, an intent stays for the next start. */
  #endOf(name: string, intent: Intent | undefined, isUndone: boolean): Operation[] {
    const { intents } = this.#core;
    if (isUndone) return intent ? [intents.end(intent)] : [];
    return intent ? [] : [intents.begin("volume.remove", name).operation];
  }

  /** Fills a new volume with an image's files, by way of a tree that nobody runs. A crash leaves it to the recovery. */
  async #copyImage(name: string, diffIDs: readonly string[]): Promise<void> {
    const { layers, volumes } = requireHost(this.#core);
    const id = randomID(this.#core.random);
    try {
      await layers.create(id, diffIDs);
      await layers.mount(id, diffIDs);
      await volumes.copyUp(name, id, "/");
    } catch (error) {
      await volumes.remove(name);
      throw error;
    } finally {
      await layers.destroy(id);
    }
  }

  #locked<T>(name: string, work: () => Promise<T>): Promise<T> {
    return this.#core.locks.with(`volume:${name}`, work);
  }
}

/** The error for limits that the host cannot set. */
function cannotLimit(why: string, cause?: unknown): EngineError {
  return new EngineError("unsupported", `volume options size and inodes are not supported: ${why}`, { cause });
}

function noSuchVolume(name: string): EngineError {
  const sentinel = "no such volume";
  return new EngineError("no_such_volume", `no volume with name "${name}" found: ${sentinel}`, { sentinel });
}
