/**
 * The choice of a bridge's name and of subnets that nothing else on the machine has. It is pure: the host says what is taken.
 *
 * @module
 */
import { hexText } from "../../oci/bytes/bytes.ts";
import { EngineError, invalid } from "../errors.ts";
import type { NetworkSubnet, SubnetPool } from "../records/network_record.ts";
import type { Place, PlacesTaken } from "../ports/network_port.ts";
import { addressAt, findSubnet, formatAddress, parseSubnet, type Subnet, subnetsOverlap } from "../text/ip.ts";

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

/** Reads a subnet, or an address as one; `undefined` for anything else. */
type SubnetReader = (text: string) => Subnet | undefined;

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

/**
 * Chooses the parts of a place that a wish leaves open. Throws `invalid` for a part that something else has, `limit` where none is left.
 *
 * @param read Reads a subnet that is taken, or an address; a {@linkcode SubnetMemo} has most of them read before
 */
export function choosePlace(
  wish: PlaceWish,
  taken: PlacesTaken,
  random: (length: number) => Uint8Array,
  read: SubnetReader = findSubnet,
): Place {
  const { interface: wanted = "", isShared = false } = wish;
  if (wanted !== "" && !isShared && taken.bridges.has(wanted)) {
    throw invalid(`bridge name ${wanted} already in use`);
  }
  // A host has dozens of IPv6 routes, and most networks none of their subnets there.
  const versions = new Set([...wish.versions, ...wish.subnets.map(({ subnet }) => versionOf(subnet))]);
  const theirs: Subnet[] = [];
  for (const text of taken.subnets) {
    const subnet = versions.has(versionOf(text)) ? read(text) : undefined;
    if (subnet !== undefined) theirs.push(subnet);
  }
  const used = [...NEVER, ...theirs];
  for (const { subnet } of wish.subnets) {
    const parsed = parseSubnet(subnet);
    const conflict = !isShared && theirs.some((other) => subnetsOverlap(other, parsed));
    if (conflict) throw invalid(`subnet ${subnet} is already used on the host or by another config`);
  }
  const subnets = [...wish.subnets];
  for (const version of wish.versions) {
    if (subnets.some(({ subnet }) => versionOf(subnet) === version)) continue;
    const all = [...used, ...subnets.map(({ subnet }) => parseSubnet(subnet))];
    subnets.push({ subnet: version === 4 ? freeSubnet(all, wish, read) : localSubnet(all, random) });
  }
  return { interface: wanted || freeName(taken), subnets };
}

function versionOf(subnet: string): 4 | 6 {
  return subnet.includes(":") ? 6 : 4;
}

function freeName({ interfaces, bridges }: PlacesTaken): string {
  for (let number = 0;; number++) {
    const name = `gantry${number}`;
    if (!interfaces.has(name) && !bridges.has(name)) return name;
  }
}

function freeSubnet(used: readonly Subnet[], { pools = SUBNET_POOLS, prefix }: PlaceWish, read: SubnetReader): string {
  for (const { base, size } of pools) {
    const pool = read(base) ?? parseSubnet(base);
    const bits = prefix ?? size;
    const place = bits >= pool.prefix ? freeBlock(pool, bits, used) : undefined;
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
function freeBlock(pool: Subnet, bits: number, used: readonly Subnet[]): number | undefined {
  const [start, block] = [Number(pool.first), 2 ** (32 - bits)];
  const blocks = 2 ** (bits - pool.prefix);
  /** The last block of what begins in a block. */
  const ends = new Map<number, number>();
  for (const { version, first, size } of used) {
    if (version !== 4) continue;
    const from = Number(first) - start;
    const [begin, end] = [Math.max(0, Math.floor(from / block)), Math.floor((from + Number(size) - 1) / block)];
    if (end >= 0 && begin < blocks && end >= (ends.get(begin) ?? 0)) ends.set(begin, end);
  }
  let free = 0;
  for (const begin of Float64Array.from(ends.keys()).sort()) {
    if (begin > free) break;
    free = Math.max(free, ends.get(begin)! + 1);
  }
  return free < blocks ? free : undefined;
}

/** A unique local subnet (RFC 4193): its global ID is random, so that networks of two machines can be joined. */
function localSubnet(used: readonly Subnet[], random: (length: number) => Uint8Array): string {
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const digits = hexText(random(7));
    const text = `fd${digits.slice(0, 2)}:${digits.slice(2, 6)}:${digits.slice(6, 10)}:${digits.slice(10, 14)}::/64`;
    const subnet = parseSubnet(text);
    if (!used.some((other) => subnetsOverlap(other, subnet))) return `${addressAt(subnet, 0)}/${subnet.prefix}`;
  }
  throw new EngineError("limit", "failed to get random ipv6 subnet: every one that was tried is in use on this host");
}
