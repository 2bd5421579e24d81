import { type Core, hostOf } from "../core.ts";
import { EngineError, invalid } from "../errors.ts";
import type { NetworkAttachment } from "../records/container_record.ts";
import type { NetworkRecord } from "../records/network_record.ts";
import type { NetworkStatus } from "../records/network_status.ts";
import type { Index, Operation, Table } from "../store/table.ts";
import { findByNameOrID } from "../text/lookup.ts";
import { draftNetwork, type NetworkWish } from "./create_network.ts";
import { Leases } from "./leases.ts";
import { ambiguousNetwork, networkExists, noSuchNetwork } from "./network_errors.ts";
import { isSharedBridge } from "./network_options.ts";
import { readAddress } from "./network_subnets.ts";

/** The network containers get that name none; clients know it by this name. */
export const DEFAULT_NETWORK = "podman";

/** Its ID: the SHA-256 of its name, which is what Podman's installations have in common. */
export const DEFAULT_NETWORK_ID = "2f259bab93aaaaa2542ba43ef33eb990d0999ee1b9924b557b7be53c0b7a1bb9";

/** The leading bits of its subnet: 1022 containers, about as many as a bridge has ports. */
const DEFAULT_PREFIX = 22;

/** The kind of the intents that precede what a removal does to the host. */
const REMOVE_INTENT = "network.remove";

/** The changes to a network's DNS servers. */
export interface ServerChanges {
  add?: readonly string[];
  remove?: readonly string[];
}

/** The engine's networks: their records, and the addresses given out in them. Which containers are in them is theirs to tell. */
export class Networks {
  readonly #core: Core;
  readonly #table: Table<NetworkRecord>;
  readonly #names: Index<NetworkRecord>;
  readonly #leases = new Leases();
  /** How many requests under way count on a network, by its ID. */
  readonly #holds = new Map<string, number>();
  /** Networks on their way out, by ID: they keep their places on the host until they are gone from there. */
  readonly #leaving = new Map<string, NetworkRecord>();

  constructor(core: Core) {
    this.#core = core;
    this.#table = core.state.table("networks");
    this.#names = this.#table.index((record) => [record.name]);
  }

  /** The network of that name, ID or ID prefix. Throws `no_such_network` or `ambiguous`. */
  resolve(nameOrID: string): NetworkRecord {
    return findByNameOrID(this.#table, this.#names, nameOrID, { none: noSuchNetwork, several: ambiguousNetwork });
  }

  /** The network of exactly that name: an ID never stands for it. */
  named(name: string): NetworkRecord | undefined {
    return this.#names.get(name);
  }

  /** Whether there is one. An ambiguous prefix counts as there. */
  exists(nameOrID: string): boolean {
    try {
      return this.resolve(nameOrID) !== undefined;
    } catch (error) {
      if (error instanceof EngineError) return error.code === "ambiguous";
      throw error;
    }
  }

  /** Every network, by name. */
  list(): NetworkRecord[] {
    return this.#table.values().sort((a, b) => a.name < b.name ? -1 : 1);
  }

  /** Like {@linkcode Networks.resolve}, and makes the default network when it is the one asked for. */
  ensure(nameOrID: string): Promise<NetworkRecord> {
    return nameOrID === DEFAULT_NETWORK ? this.ensureDefault() : Promise.resolve(this.resolve(nameOrID));
  }

  /** The default network; its record is made when it is first asked for, on a bridge and subnet the host has free. */
  ensureDefault(): Promise<NetworkRecord> {
    const known = this.#names.get(DEFAULT_NETWORK);
    if (known) return Promise.resolve(known);
    return this.#core.locks.with("networks", async () => {
      return this.#names.get(DEFAULT_NETWORK) ??
        await this.#make({ id: DEFAULT_NETWORK_ID, name: DEFAULT_NETWORK, prefix: DEFAULT_PREFIX });
    });
  }

  /**
   * Makes a network: what the wish leaves open is chosen. Throws `name_in_use` for a name that another has, unless `ignore`
   * gives that one; `invalid` for a network that cannot be.
   */
  async create(wish: NetworkWish, { ignore = false } = {}): Promise<NetworkRecord> {
    if (wish.name === DEFAULT_NETWORK) await this.ensureDefault();
    return await this.#core.locks.with("networks", async () => {
      const known = wish.name === undefined ? undefined : this.#names.get(wish.name) ?? this.#table.get(wish.name);
      if (known && ignore) return known;
      if (known) throw networkExists(wish.name ?? "");
      const record = await this.#make(wish);
      this.#core.events.emit({ type: "network", action: "create", id: record.id, name: record.name });
      return record;
    });
  }

  /** Changes the servers at which a network's containers look up the names of the world, those that run included. */
  async updateServers(nameOrID: string, { add = [], remove = [] }: ServerChanges): Promise<NetworkRecord> {
    const { name } = await this.ensure(nameOrID);
    const added = add.map((server) => readAddress("AddDNSServer", server));
    const removed = new Set(remove.map((server) => readAddress("RemoveDNSServer", server)));
    return await this.#core.locks.with(`network:${name}`, async () => {
      const record = this.resolve(name);
      if (!record.dns && added.length > 0) {
        throw invalid("cannot set NetworkDNSServers if DNS is not enabled for the network", "invalid argument");
      }
      const before = record.dnsServers ?? [];
      const dnsServers = [...new Set([...before.filter((server) => !removed.has(server)), ...added])];
      if (dnsServers.join() === before.join()) return record;
      const next = { ...record, dnsServers };
      await this.#core.state.commit([this.#table.put(next.id, next)]);
      await hostOf(this.#core)?.networks.updateServers(next);
      this.#core.events.emit({ type: "network", action: "update", id: next.id, name });
      return next;
    });
  }

  /** Reads the interfaces of a network namespace of the host, by its path. */
  async interfacesIn(path: string): Promise<NetworkStatus["interfaces"]> {
    return await hostOf(this.#core)?.networks.interfacesIn(path) ?? {};
  }

  /** Keeps networks from being removed until the result is disposed. Throws `no_such_network` for one that is gone or going. */
  hold(names: readonly string[]): Disposable {
    const ids = names.map((name) => this.resolve(name).id);
    const leaving = names.find((_, i) => this.#leaving.has(ids[i]));
    if (leaving !== undefined) throw noSuchNetwork(leaving);
    for (const id of ids) this.#holds.set(id, (this.#holds.get(id) ?? 0) + 1);
    return {
      [Symbol.dispose]: () => {
        for (const id of ids) {
          const left = (this.#holds.get(id) ?? 1) - 1;
          if (left > 0) this.#holds.set(id, left);
          else this.#holds.delete(id);
        }
      },
    };
  }

  /**
   * Removes a network. Throws `invalid` for the default one.
   *
   * @param requireUnused Throws where containers are in the network
   */
  async remove(nameOrID: string, requireUnused: (network: NetworkRecord, isHeld: boolean) => void): Promise<void> {
    const { name } = await this.ensure(nameOrID);
    await this.#core.locks.with(`network:${name}`, async () => {
      const record = this.resolve(name);
      if (name === DEFAULT_NETWORK) throw invalid(`default network ${name} cannot be removed`);
      requireUnused(record, this.#holds.has(record.id));
      this.#leaving.set(record.id, record);
      const { intents, state } = this.#core;
      // Of most networks that go, nothing was ever made: the next start gives up a place that no record has.
      const isMade = hostOf(this.#core)?.networks.isMade(record) ?? false;
      const begun = isMade ? intents.begin(REMOVE_INTENT, record.name, { record: JSON.stringify(record) }) : undefined;
      try {
        await state.commit([this.#table.drop(record.id), ...begun ? [begun.operation] : []]);
      } catch (error) {
        this.#leaving.delete(record.id);
        throw error;
      }
      this.#leases.drop(record.id);
      // After a failure it keeps its place until the next start, which finishes the removal. Nobody enters it meanwhile.
      await hostOf(this.#core)?.networks.remove(record, { isMade, sharers: () => this.#sharersOf(record) });
      this.#leaving.delete(record.id);
      if (begun) state.commitLater([intents.end(begun.intent)]);
      this.#core.events.emit({ type: "network", action: "remove", id: record.id, name });
    });
  }

  /** Finishes removals that were cut short, and creations: of those, no more than a place was taken. Called once, at start. */
  async recover(): Promise<void> {
    const { intents, state, log } = this.#core;
    for (const intent of intents.open(REMOVE_INTENT)) {
      const done: Operation[] = [intents.end(intent)];
      try {
        // Written by `remove`.
        const record: NetworkRecord = JSON.parse(intent.details.record);
        // Another network gets the place only when this one is gone from the host: nothing is left to do then.
        const sharers = this.#sharersOf(record);
        const isTaken = isSharedBridge(record.options) ? haveCommonSubnet(record, sharers) : sharers.length > 0;
        if (!isTaken) await hostOf(this.#core)?.networks.remove(record, { sharers: () => sharers });
        await state.commit(done);
      } catch (error) {
        log("error", `Remove what is left of network "${intent.subject}": ${error}`);
      }
    }
    await hostOf(this.#core)?.networks.releaseUnrecorded(this.#table.values());
  }

  /**
   * Gives a container addresses in its networks: those it names, else those it had before, else the next free ones. All
   * of them or none. They stay its own until {@linkcode Networks.release}.
   */
  lease(
    containerID: string,
    wanted: Readonly<Record<string, NetworkAttachment>>,
    before: Readonly<Record<string, NetworkAttachment>>,
  ): Record<string, NetworkAttachment> {
    const leased: Record<string, NetworkAttachment> = {};
    try {
      for (const [name, attachment] of Object.entries(wanted)) {
        const claims = { own: attachment.staticIPs, before: before[name]?.staticIPs ?? [] };
        leased[name] = { ...attachment, staticIPs: this.#leases.lease(containerID, this.resolve(name), claims) };
      }
      return leased;
    } catch (error) {
      this.release(containerID, Object.keys(wanted));
      throw error;
    }
  }

  /** Takes a container's addresses back: all of them, or those in some networks. */
  release(containerID: string, names?: readonly string[]): void {
    const ids = names?.flatMap((name) => this.#names.get(name)?.id ?? []);
    this.#leases.release(containerID, ids);
  }

  /** How many addresses of each subnet containers have. */
  usage(network: NetworkRecord): { subnet: string; used: number }[] {
    return this.#leases.usage(network);
  }

  /** Checks, without taking them, that addresses lie in a network's subnets. Throws `invalid`. */
  checkAddresses(network: NetworkRecord, addresses: readonly string[]): void {
    this.#leases.check(network, addresses);
  }

  /** The other networks that have the same bridge. */
  #sharersOf({ id, driver, interface: name }: NetworkRecord): NetworkRecord[] {
    if (driver !== "bridge") return [];
    const isSharer = (other: NetworkRecord) => other.driver === driver && other.interface === name && other.id !== id;
    return this.#table.values().filter(isSharer);
  }

  async #make(wish: NetworkWish): Promise<NetworkRecord> {
    const others = [...this.#table.values(), ...this.#leaving.values()];
    const record = await draftNetwork(this.#core, wish, {
      others,
      hasName: (name) => this.#names.get(name) !== undefined || this.#leaving.values().some((old) => old.name === name),
      hasID: (id) => this.#table.has(id) || this.#leaving.has(id),
    });
    await this.#core.state.commit([this.#table.put(record.id, record)]);
    return record;
  }
}

/** Whether a network has a subnet that one of the others has, too. */
function haveCommonSubnet({ subnets }: NetworkRecord, others: readonly NetworkRecord[]): boolean {
  const theirs = new Set(others.flatMap((other) => other.subnets.map(({ subnet }) => subnet)));
  return subnets.some(({ subnet }) => theirs.has(subnet));
}
