/**
 * The choice of a bridge's name and of subnets that nothing else on the machine has. It is pure: the host says what is taken.
 *
 * @module
 */
import { hexText } from "../../oci/bytes/bytes.ts";
import { EngineError, invalid } from "../errors.ts";
import type { NetworkSubnet, Subnet, SubnetPool } from "../records/network_record.ts";
import type { Place, PlacesTaken, TakenSubnets } from "../ports/network_port.ts";
import { addressAt, formatAddress, parseSubnet, subnetsOverlap } from "../text/ip.ts";

/**
 * The pools where the machine's owner names none: below the ranges Podman (10.88.0.0 and up), Docker (172.17.0.0 and up) and
 * Kubernetes (10.96.0.0 and up) choose from. A subnet has room for 253 containers, as with Podman.
 */
export const SUBNET_POOLS: readonly SubnetPool[] = Array.from({ length: 8 }, (_, index) => {
  return { base: `10.${87 - index}.0.0/16`, size: 24 };
});
/** Podman's default network exists only while it is in use. */
const NEVER: readonly Subnet[] = [parseSubnet("10.88.0.0/16")];
/** How many random IPv6 subnets are tried: two that are equal come along once in 2^40. */
const TRIES = 64;
/** How many numbers of bridges' names are tried from 0 on, and how many there are beyond them. */
const IN_ORDER = 512;
const MOST_NUMBERS = 1e8;

/** The requested place of a bridge. */
export interface PlaceWish {
  /** The bridge's name; absent: any free one. */
  interface?: string;
  subnets: readonly NetworkSubnet[];
  /** The versions of IP it must have a subnet of; those that `subnets` lack are chosen. */
  versions: readonly (4 | 6)[];
  /** The leading bits of an IPv4 subnet that is chosen; the pool's by default. */
  prefix?: number;
  /** The pools from which an IPv4 subnet is chosen. */
  pools?: readonly SubnetPool[];
  /** The bridge and its subnets may be another network's too, as with VLANs. */
  isShared?: boolean;
}

/** Chooses the parts of a place that a wish leaves open. Throws `invalid` for a part that something else has, `limit` where none is left. */
export function choosePlace(wish: PlaceWish, taken: PlacesTaken, random: (length: number) => Uint8Array): Place {
  const { interface: wanted = "", isShared = false } = wish;
  if (wanted !== "" && !isShared && taken.bridges.has(wanted)) {
    throw invalid(`bridge name ${wanted} already in use`);
  }
  const own = wish.subnets.map(({ subnet }) => parseSubnet(subnet));
  for (const [i, subnet] of own.entries()) {
    if (isShared || !taken.subnets.overlaps(subnet)) continue;
    throw invalid(`subnet ${wish.subnets[i].subnet} is already used on the host or by another config`);
  }
  const subnets = [...wish.subnets];
  for (const version of wish.versions) {
    if (subnets.some(({ subnet }) => versionOf(subnet) === version)) continue;
    const more = [...NEVER, ...own];
    const subnet = version === 4 ? freeSubnet(taken.subnets, more, wish) : localSubnet(taken.subnets, more, random);
    subnets.push({ subnet });
  }
  return { interface: wanted || freeName(taken, random), subnets };
}

function versionOf(subnet: string): 4 | 6 {
  return subnet.includes(":") ? 6 : 4;
}

/** The first number that is free; past the first few, one at random: beside thousands of networks each of them would be asked for. */
function freeName({ interfaces, bridges }: PlacesTaken, random: (length: number) => Uint8Array): string {
  for (let tries = 0;; tries++) {
    const number = tries < IN_ORDER ? tries : random(4).reduce((sum, byte) => sum * 256 + byte, 0) % MOST_NUMBERS;
    const name = `gantry${number}`;
    if (!interfaces.has(name) && !bridges.has(name)) return name;
  }
}

function freeSubnet(
  taken: TakenSubnets,
  more: readonly Subnet[],
  { pools = SUBNET_POOLS, prefix }: PlaceWish,
): string {
  for (const { base, size } of pools) {
    const pool = parseSubnet(base);
    const bits = prefix ?? size;
    const place = bits >= pool.prefix ? freeBlock(pool, bits, taken, more) : undefined;
    if (place === undefined) continue;
    const value = pool.first + BigInt(place) * (1n << BigInt(32 - bits));
    return `${formatAddress({ version: 4, value })}/${bits}`;
  }
  throw new EngineError("limit", "could not find free subnet from subnet pools: every subnet is in use on this host");
}

/**
 * The number of the first block of a pool that nothing uses. In plain numbers, and from one end of what is used to the next: a host may have
 * hundreds of networks, and a pool has room for millions of blocks.
 */
function freeBlock(pool: Subnet, bits: number, taken: TakenSubnets, more: readonly Subnet[]): number | undefined {
  const [start, block] = [Number(pool.first), 2 ** (32 - bits)];
  const blocks = 2 ** (bits - pool.prefix);
  const blocksOf = ({ first, size }: Subnet) => {
    const from = Number(first) - start;
    return { begin: Math.floor(from / block), end: Math.floor((from + Number(size) - 1) / block) };
  };
  const others = more.filter(({ version }) => version === 4).map(blocksOf);
  /** The first block from one on that none of the few others has. */
  const past = (from: number): number => {
    const hit = others.find(({ begin, end }) => begin <= from && from <= end);
    return hit === undefined ? from : past(hit.end + 1);
  };
  let free = past(0);
  for (const subnet of taken.within(pool)) {
    const { begin, end } = blocksOf(subnet);
    if (begin > free) break;
    free = past(Math.max(free, end + 1));
  }
  return free < blocks ? free : undefined;
}

/** A unique local subnet (RFC 4193): its global ID is random, so that networks of two machines can be joined. */
function localSubnet(taken: TakenSubnets, more: readonly Subnet[], random: (length: number) => Uint8Array): string {
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const digits = hexText(random(7));
    const text = `fd${digits.slice(0, 2)}:${digits.slice(2, 6)}:${digits.slice(6, 10)}:${digits.slice(10, 14)}::/64`;
    const subnet = parseSubnet(text);
    const isTaken = taken.overlaps(subnet) || more.some((other) => subnetsOverlap(other, subnet));
    if (!isTaken) return `${addressAt(subnet, 0)}/${subnet.prefix}`;
  }
  throw new EngineError("limit", "failed to get random ipv6 subnet: every one that was tried is in use on this host");
}
