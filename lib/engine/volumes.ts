import { type Core, requireHost } from "./core.ts";
import { EngineError } from "./errors.ts";
import type { DeleteOptions } from "./ports/host_port.ts";
import { checkName, MAX_FOLDER_NAME } from "./text/names.ts";
import type { Operation, Table } from "./store/table.ts";

/** A volume as stored. */
export interface VolumeRecord {
  name: string;
  driver: "local";
  /** ISO 8601. */
  created: string;
  labels: Record<string, string>;
  options: Record<string, string>;
  /** Made for one container, and removed with it when asked. */
  anonymous: boolean;
  /** Nothing was copied into it yet: the first container to mount it fills it from its image. */
  needsCopyUp: boolean;
  /** The folder on the host. */
  mountpoint: string;
}

/** The engine's volumes. */
export class Volumes {
  readonly #core: Core;
  readonly #table: Table<VolumeRecord>;

  constructor(core: Core) {
    this.#core = core;
    this.#table = core.state.table("volumes");
  }

  /** The volume of that name. Throws `no_such_volume`. */
  resolve(name: string): VolumeRecord {
    const record = this.#table.get(name);
    if (record) return record;
    const sentinel = "no such volume";
    throw new EngineError("no_such_volume", `no volume with name "${name}" found: ${sentinel}`, { sentinel });
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
  ensure(name: string, options: { anonymous?: boolean } = {}): Promise<VolumeRecord> {
    checkName(name, MAX_FOLDER_NAME);
    return this.#core.locks.with(`volume:${name}`, async () => {
      const known = this.#table.get(name);
      if (known) return known;
      const { operation, intent } = this.#core.intents.begin("volume.create", name);
      await this.#core.state.commit([operation]);
      const record: VolumeRecord = {
        name,
        driver: "local",
        created: new Date(this.#core.clock.now()).toISOString(),
        labels: {},
        options: {},
        anonymous: options.anonymous ?? false,
        needsCopyUp: true,
        mountpoint: await requireHost(this.#core).volumes.create(name),
      };
      await this.#core.state.commit([this.#table.put(name, record), this.#core.intents.end(intent)]);
      this.#core.events.emit({ type: "volume", action: "create", id: name, name });
      return record;
    });
  }

  /**
   * Fills a volume that was never mounted from what the container's tree has at `path`. Its tree must be mounted. Where that
   * has nothing, the volume is given to `owner`.
   */
  fill(name: string, containerID: string, path: string, owner?: { uid: number; gid: number }): Promise<void> {
    if (!this.#table.get(name)?.needsCopyUp) return Promise.resolve();
    return this.#core.locks.with(`volume:${name}`, async () => {
      const record = this.#table.get(name);
      if (!record?.needsCopyUp) return;
      await requireHost(this.#core).volumes.copyUp(name, containerID, path, owner);
      await this.#core.state.commit([this.#table.put(name, { ...record, needsCopyUp: false })]);
    });
  }

  /** Removes a volume. The caller has seen to it that no container has it. */
  remove(name: string): Promise<void> {
    return this.#core.locks.with(`volume:${name}`, async () => {
      const removal = this.planRemoval(name);
      await this.#core.state.commit(removal.operations);
      await removal.finish();
    });
  }

  /**
   * A removal in two parts: the operations to commit, with others if need be, and what to do on the host after that. Between
   * them a crash is made good by {@linkcode Volumes.recover}. Nothing, where there is no such volume.
   */
  planRemoval(name: string): { operations: Operation[]; finish: (options?: DeleteOptions) => Promise<void> } {
    if (!this.#table.has(name)) return { operations: [], finish: () => Promise.resolve() };
    const { operation, intent } = this.#core.intents.begin("volume.remove", name);
    const finish = async (options?: DeleteOptions) => {
      await requireHost(this.#core).volumes.remove(name, options);
      await this.#core.state.commit([this.#core.intents.end(intent)]);
      this.#core.events.emit({ type: "volume", action: "remove", id: name, name });
    };
    return { operations: [this.#table.drop(name), operation], finish };
  }

  /** Undoes creations and finishes removals that were cut short. Called once, at start. */
  async recover(): Promise<void> {
    const { intents, state } = this.#core;
    if (intents.open().every(({ kind }) => !kind.startsWith("volume."))) return;
    const host = requireHost(this.#core);
    for (const intent of [...intents.open("volume.create"), ...intents.open("volume.remove")]) {
      const done: Operation[] = [intents.end(intent)];
      if (!this.#table.has(intent.subject)) await host.volumes.remove(intent.subject, { behind: true });
      await state.commit(done);
    }
  }
}
