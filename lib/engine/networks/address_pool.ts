import { EngineError } from "../errors.ts";
import type { NetworkSubnet, Subnet } from "../records/network_record.ts";
import { type Address, formatAddress, parseAddress, parseSubnet, subnetContains } from "../text/ip.ts";

/** The addresses of one subnet, and which container has which. */
export class AddressPool {
  readonly #subnet: Subnet;
  readonly #reserved: Set<bigint>;
  readonly #owners = new Map<bigint, string>();
  /** The first and last address given to containers that ask for none. */
  readonly #range: { first: bigint; last: bigint };
  /** The address at which the last search ended: addresses are given out in turn, so that a freed one rests a while. */
  #cursor: bigint;

  constructor({ subnet, gateway, leaseRange, auxiliary = {} }: NetworkSubnet) {
    this.#subnet = parseSubnet(subnet);
    const { first, size, version } = this.#subnet;
    this.#reserved = new Set([first]);
    if (gateway !== undefined) this.#reserved.add(parseAddress(gateway).value);
    if (version === 4) this.#reserved.add(first + size - 1n);
    for (const address of Object.values(auxiliary)) this.#reserved.add(parseAddress(address).value);
    this.#range = {
      first: leaseRange?.start === undefined ? first : parseAddress(leaseRange.start).value,
      last: leaseRange?.end === undefined ? first + size - 1n : parseAddress(leaseRange.end).value,
    };
    this.#cursor = this.#range.last;
  }

  /** Whether this pool's subnet has the address. */
  holds(address: string): boolean {
    return subnetContains(this.#subnet, parseAddress(address));
  }

  /** Gives a container the next free address. Throws `EngineError("limit")` when there is none. */
  take(owner: string): string {
    const { first, last } = this.#range;
    const { version } = this.#subnet;
    // Reserved and owned addresses are the only ones skipped: one more try than there are of them must succeed.
    const tries = this.#owners.size + this.#reserved.size + 1;
    for (let i = 0; i < tries && BigInt(i) <= last - first; i++) {
      this.#cursor = this.#cursor >= last ? first : this.#cursor + 1n;
      if (this.#reserved.has(this.#cursor) || this.#owners.has(this.#cursor)) continue;
      this.#owners.set(this.#cursor, owner);
      return formatAddress({ version, value: this.#cursor });
    }
    const [start, end] = [first, last].map((value) => formatAddress({ version, value }));
    throw new EngineError("limit", `IPAM error: failed to find free IP in range: ${start} - ${end}`);
  }

  /** Gives a container this very address. Throws `EngineError("in_use")` when another one has it. */
  claim(owner: string, text: string): string {
    const address: Address = parseAddress(text);
    const other = this.#owners.get(address.value);
    if (other !== undefined && other !== owner) {
      throw new EngineError("in_use", `requested ip address ${text} is already allocated to container ID ${other}`);
    }
    if (this.#reserved.has(address.value)) {
      throw new EngineError("invalid", `requested ip address ${text} is reserved in its subnet`);
    }
    this.#owners.set(address.value, owner);
    return formatAddress(address);
  }

  /** The address again where it is free, else another one. */
  prefer(owner: string, text: string | undefined): string {
    if (text === undefined || !this.holds(text)) return this.take(owner);
    const { value } = parseAddress(text);
    const isFree = !this.#reserved.has(value) && (this.#owners.get(value) ?? owner) === owner;
    return isFree ? this.claim(owner, text) : this.take(owner);
  }

  /** Takes back what a container has. */
  release(owner: string): void {
    for (const [value, holder] of this.#owners) if (holder === owner) this.#owners.delete(value);
  }

  /** How many addresses containers have. */
  get used(): number {
    return this.#owners.size;
  }
}
