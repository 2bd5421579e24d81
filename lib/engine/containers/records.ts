import type { ContainerRecord, ContainerState, PortMapping } from "../records/container_record.ts";
import type { Core } from "../core.ts";
import { checkName, randomName } from "../text/names.ts";
import { findByNameOrID } from "../text/lookup.ts";
import type { Index, Operation, Table } from "../store/table.ts";
import type { Changes, ContainerChange } from "./changes.ts";
import { volumesOf } from "./create/mounts.ts";
import { dependenciesOf } from "./dependencies.ts";
import { ambiguousContainer, nameInUse, noSuchContainer } from "./failures.ts";
import { invalid } from "../errors.ts";

/** How long the exit code of a removed container is kept: remote clients ask for it after an automatic removal. */
const EXIT_CODE_LIFE_MS = 5 * 60_000;

interface ExitCode {
  code: number;
  time: number;
}

/** A name that a container is being made under, and the ports chosen for it. */
export interface Reserved extends Disposable {
  readonly name: string;
  /** Keeps a port from being chosen for others, or takes that back. */
  holdPort(mapping: PortMapping, isHeld: boolean): void;
}

/** The container records: found by ID, prefix and name, changed only through here. */
export class Records {
  readonly #core: Pick<Core, "state" | "clock" | "random">;
  readonly #changes: Changes;
  readonly #table: Table<ContainerRecord>;
  readonly #names: Index<ContainerRecord>;
  /** Indexes by the things that containers need: the users of one are found without a look at all others. */
  readonly #joined: Index<ContainerRecord>;
  readonly #required: Index<ContainerRecord>;
  readonly #images: Index<ContainerRecord>;
  readonly #networks: Index<ContainerRecord>;
  readonly #volumes: Index<ContainerRecord>;
  readonly #exitCodes: Table<ExitCode>;
  /** Names given to containers that are still being made. */
  readonly #reserved = new Map<string, string>();
  /** Ports chosen for containers that are still being made. */
  readonly #heldPorts = new Set<PortMapping>();

  constructor(core: Pick<Core, "state" | "clock" | "random">, changes: Changes) {
    this.#core = core;
    this.#changes = changes;
    this.#table = core.state.table("containers");
    this.#names = this.#table.index((record) => [record.name]);
    this.#joined = this.#table.index(dependenciesOf);
    this.#required = this.#table.index(({ spec }) => spec.requires ?? []);
    this.#images = this.#table.index(imagesOf);
    this.#networks = this.#table.index(({ networks }) => Object.keys(networks));
    this.#volumes = this.#table.index(({ mounts }) => volumesOf(mounts).map(({ source }) => source));
    this.#exitCodes = core.state.table("exit_codes");
  }

  get(id: string): ContainerRecord | undefined {
    return this.#table.get(id);
  }

  /** Every record, in no order. */
  all(): ContainerRecord[] {
    return this.#table.values();
  }

  /** The container of exactly that name: an ID never stands for it. */
  named(name: string): ContainerRecord | undefined {
    return this.#names.get(name);
  }

  /** The containers that join one of this one's namespaces, or require it. */
  dependentsOf(id: string): ContainerRecord[] {
    return this.#joined.all(id);
  }

  /** The containers that require this one, whether or not they join one of its namespaces. */
  requirersOf(id: string): ContainerRecord[] {
    return this.#required.all(id);
  }

  /** The containers that are made of this image, or mount it. */
  usingImage(imageID: string): ContainerRecord[] {
    return this.#images.all(imageID);
  }

  /** The containers in the network of that name. */
  inNetwork(name: string): ContainerRecord[] {
    return this.#networks.all(name);
  }

  /** The containers that have the volume of that name. */
  withVolume(name: string): ContainerRecord[] {
    return this.#volumes.all(name);
  }

  /** By name, ID or unambiguous ID prefix. Throws `no_such_container`, `ambiguous` or `invalid`. */
  resolve(nameOrID: string): ContainerRecord {
    if (nameOrID === "") throw invalid("name or ID cannot be empty");
    return findByNameOrID(this.#table, this.#names, nameOrID, { none: noSuchContainer, several: ambiguousContainer });
  }

  /** The record under a full ID, or `no_such_container`: for use under the container's lock. */
  require(id: string): ContainerRecord {
    const record = this.#table.get(id);
    if (!record) throw noSuchContainer(id);
    return record;
  }

  /** The published ports of all containers, running or not, and those held for containers that are being made. */
  publishedPorts(): PortMapping[] {
    return [...this.all().flatMap(({ ports }) => ports), ...this.#heldPorts];
  }

  /** Keeps a name, a random one where none is given, from being taken until the result is disposed, and ports that it is told of. */
  reserve(id: string, name?: string): Reserved {
    const owner = (text: string) => this.#names.get(text)?.id ?? this.#reserved.get(text);
    if (name !== undefined) {
      checkName(name);
      const taken = owner(name);
      if (taken !== undefined && taken !== id) throw nameInUse(name, taken);
    }
    const chosen = name ?? randomName(this.#core.random, (text) => owner(text) !== undefined);
    this.#reserved.set(chosen, id);
    const ports = new Set<PortMapping>();
    return {
      name: chosen,
      holdPort: (mapping, isHeld) => {
        for (const set of [ports, this.#heldPorts]) {
          if (isHeld) set.add(mapping);
          else set.delete(mapping);
        }
      },
      [Symbol.dispose]: () => {
        this.#reserved.delete(chosen);
        for (const mapping of ports) this.#heldPorts.delete(mapping);
      },
    };
  }

  /** Stores a record together with other operations, then tells listeners. */
  async save(record: ContainerRecord, others: readonly Operation[] = [], change: ContainerChange = {}): Promise<void> {
    await this.#core.state.commit([this.#table.put(record.id, record), ...others]);
    this.#changes.publish(record.id, { ...change, record });
  }

  /** Stores a change of state and gives the new record. */
  async saveState(
    record: ContainerRecord,
    state: Partial<ContainerState>,
    others?: Operation[],
  ): Promise<ContainerRecord> {
    const next = withState(record, state);
    await this.save(next, others);
    return next;
  }

  /** Forgets a container, except for its exit code, and tells listeners. */
  async drop(record: ContainerRecord, others: readonly Operation[] = []): Promise<void> {
    const time = this.#core.clock.now();
    const code = this.#exitCodes.put(record.id, { code: record.state.exitCode, time });
    await this.#core.state.commit([this.#table.drop(record.id), code, ...this.#expired(time), ...others]);
    this.#changes.publish(record.id, {});
  }

  /** The exit code of a container that was removed a short while ago. */
  exitCode(id: string): number | undefined {
    const known = this.#exitCodes.get(id);
    return known && known.time > this.#core.clock.now() - EXIT_CODE_LIFE_MS ? known.code : undefined;
  }

  #expired(now: number): Operation[] {
    const old = this.#exitCodes.keys().filter((id) => this.#exitCodes.get(id)!.time <= now - EXIT_CODE_LIFE_MS);
    return old.map((id) => this.#exitCodes.drop(id));
  }
}

/** The IDs of the image that a container is made of, and of those that it mounts. */
function imagesOf({ imageID, mounts }: ContainerRecord): Set<string> {
  return new Set([
    ...imageID === undefined ? [] : [imageID],
    ...mounts.flatMap((mount) => mount.type === "image" ? [mount.image.id] : []),
  ]);
}

/** The record with parts of its state replaced. */
export function withState(record: ContainerRecord, state: Partial<ContainerState>): ContainerRecord {
  return { ...record, state: { ...record.state, ...state } };
}
