import { EngineError } from "../errors.ts";
import type { NetworkRecord } from "../records/network_record.ts";
import { AddressPool } from "./address_pool.ts";

/** The addresses a container asks for in one network, and those it had there. */
export interface AddressClaims {
  own: readonly string[];
  before: readonly string[];
}

/** The addresses given out, by network. */
export class Leases {
  /** By network ID; one pool per subnet. */
  readonly #pools = new Map<string, AddressPool[]>();

  /** Gives a container an address of each subnet. Throws `in_use`, `invalid` or `limit`, with some of them given. */
  lease(owner: string, network: NetworkRecord, { own, before }: AddressClaims): string[] {
    // A DHCP server gives them, or nothing does.
    if ((network.addressSource ?? "host-local") !== "host-local") return [...own];
    const claimed = new Map(own.map((address) => [this.#poolOf(network, address), address]));
    return this.#poolsOf(network).map((pool) => {
      const address = claimed.get(pool);
      return address ? pool.claim(owner, address) : pool.prefer(owner, before.find((text) => pool.holds(text)));
    });
  }

  /** Checks, without taking them, that addresses lie in a network's subnets. Throws `invalid`. */
  check(network: NetworkRecord, addresses: readonly string[]): void {
    if ((network.addressSource ?? "host-local") !== "host-local" && network.subnets.length === 0) return;
    for (const address of addresses) this.#poolOf(network, address);
  }

  /** Takes a container's addresses back, in all networks or in those of these IDs. */
  release(owner: string, ids: readonly string[] = [...this.#pools.keys()]): void {
    for (const id of ids) for (const pool of this.#pools.get(id) ?? []) pool.release(owner);
  }

  /** How many addresses of each subnet containers have. */
  usage(network: NetworkRecord): { subnet: string; used: number }[] {
    const pools = this.#poolsOf(network);
    return network.subnets.map(({ subnet }, i) => ({ subnet, used: pools[i].used }));
  }

  /** Forgets a network that is gone. */
  drop(id: string): void {
    this.#pools.delete(id);
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
    const pools = network.subnets.map((subnet) => new AddressPool(subnet));
    this.#pools.set(network.id, pools);
    return pools;
  }
}

function holds(pool: AddressPool, address: string): boolean {
  try {
    return pool.holds(address);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new EngineError("invalid", error.message, { cause: error });
  }
}
