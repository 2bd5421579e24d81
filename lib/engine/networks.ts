import { AddressPool } from "./address_pool.ts";
import type { NetworkAttachment } from "./records/container_record.ts";
import { type Core, requireHost } from "./core.ts";
import { EngineError } from "./errors.ts";
import type { NetworkRecord } from "./records/network_record.ts";
import { findByNameOrID } from "./text/lookup.ts";
import type { Index, Table } from "./store/table.ts";

/** The network containers get that name none; clients know it by this name. */
export const DEFAULT_NETWORK = "podman";

/** Its ID: the SHA-256 of its name, which is what Podman's installations have in common. */
export const DEFAULT_NETWORK_ID = "2f259bab93aaaaa2542ba43ef33eb990d0999ee1b9924b557b7be53c0b7a1bb9";

/** The engine's networks: their records, and the addresses given out in them. */
export class Networks {
  readonly #core: Core;
  readonly #table: Table<NetworkRecord>;
  readonly #names: Index<NetworkRecord>;
  /** By network ID; one pool per subnet. */
  readonly #pools = new Map<string, AddressPool[]>();

  constructor(core: Core) {
    this.#core = core;
    this.#table = core.state.table("networks");
    this.#names = this.#table.index((record) => [record.name]);
  }

  /** The network of that name, ID or ID prefix. Throws `no_such_network` or `ambiguous`. */
  resolve(nameOrID: string): NetworkRecord {
    return findByNameOrID(this.#table, this.#names, nameOrID, { none: noSuchNetwork, several: ambiguousNetwork });
  }

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
    return this.#core.locks.with("network:default", async () => {
      const made = this.#names.get(DEFAULT_NETWORK);
      if (made) return made;
      const proposal = await requireHost(this.#core).networks.propose(this.list());
      const record: NetworkRecord = {
        id: DEFAULT_NETWORK_ID,
        name: DEFAULT_NETWORK,
        driver: "bridge",
        interface: proposal.interface,
        created: new Date(this.#core.clock.now()).toISOString(),
        subnets: [{ subnet: proposal.subnet, gateway: proposal.gateway }],
        ipv6: false,
        internal: false,
        dns: false,
        labels: {},
        options: {},
      };
      await this.#core.state.commit([this.#table.put(record.id, record)]);
      return record;
    });
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
    try {
      const leased: Record<string, NetworkAttachment> = {};
      for (const [name, attachment] of Object.entries(wanted)) {
        const staticIPs = this.#leaseIn(containerID, name, attachment.staticIPs, before[name]?.staticIPs ?? []);
        leased[name] = { ...attachment, staticIPs };
      }
      return leased;
    } catch (error) {
      this.release(containerID);
      throw error;
    }
  }

  /** Takes a container's addresses back. */
  release(containerID: string): void {
    for (const pools of this.#pools.values()) for (const pool of pools) pool.release(containerID);
  }

  /** Checks, without taking them, that addresses lie in a network's subnets. Throws `invalid`. */
  checkAddresses(network: NetworkRecord, addresses: readonly string[]): void {
    for (const address of addresses) this.#poolOf(network, address);
  }

  #leaseIn(owner: string, name: string, own: readonly string[], before: readonly string[]): string[] {
    const network = this.resolve(name);
    const claimed = new Map(own.map((address) => [this.#poolOf(network, address), address]));
    return this.#poolsOf(network).map((pool) => {
      const address = claimed.get(pool);
      return address ? pool.claim(owner, address) : pool.prefer(owner, before.find((text) => pool.holds(text)));
    });
  }

  #poolOf(network: NetworkRecord, address: string): AddressPool {
    const pool = this.#poolsOf(network).find((candidate) => holds(candidate, address));
    if (pool) return pool;
    const text = `requested static ip ${address} not in any subnet on network ${network.name}`;
    throw new EngineError("invalid", text);
  }

  #poolsOf(network: NetworkRecord): AddressPool[] {
    const known = this.#pools.get(network.id);
    if (known) return known;
    const pools = network.subnets.map(({ subnet, gateway }) => new AddressPool(subnet, gateway));
    this.#pools.set(network.id, pools);
    return pools;
  }
}

function noSuchNetwork(nameOrID: string): EngineError {
  const sentinel = "network not found";
  return new EngineError("no_such_network", `unable to find network with name or ID ${nameOrID}: ${sentinel}`, {
    sentinel,
  });
}

function ambiguousNetwork(nameOrID: string): EngineError {
  return new EngineError("ambiguous", `more than one result for network ID ${nameOrID}`);
}

function holds(pool: AddressPool, address: string): boolean {
  try {
    return pool.holds(address);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new EngineError("invalid", error.message, { cause: error });
  }
}
