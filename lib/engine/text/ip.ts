import type { Subnet } from "../records/network_record.ts";

/** An IP address as a number, with its family. */
export interface Address {
  version: 4 | 6;
  value: bigint;
}

/** Bits of an address. */
const WIDTH = { 4: 32, 6: 128 } as const;

/** Four decimal numbers without leading zeros, which some programs read as octal. */
const IPV4 = /^(0|[1-9][0-9]{0,2})\.(0|[1-9][0-9]{0,2})\.(0|[1-9][0-9]{0,2})\.(0|[1-9][0-9]{0,2})$/;

/** Reads an IPv4 or IPv6 address; the last 32 bits of an IPv6 one may be written as IPv4 (RFC 4291, 2.2). Throws `SyntaxError`. */
export function parseAddress(text: string): Address {
  const value = text.includes(":") ? parseIPv6(text) : parseIPv4(text);
  if (value === undefined) throw new SyntaxError(`Parse IP address "${text}": not an address`);
  return { version: text.includes(":") ? 6 : 4, value };
}

/** Reads `10.88.0.0/16`; host bits are dropped. Throws `SyntaxError`. */
export function parseSubnet(text: string): Subnet {
  const [address, bits, more] = text.split("/");
  const { version, value } = parseAddress(address);
  const width = WIDTH[version];
  const prefix = /^[0-9]{1,3}$/.test(bits ?? "") ? Number(bits) : -1;
  if (more !== undefined || prefix < 0 || prefix > width) {
    throw new SyntaxError(`Parse subnet "${text}": a prefix length from 0 to ${width} is missing`);
  }
  const size = 1n << BigInt(width - prefix);
  return { version, first: value - value % size, prefix, size };
}

/**
 * Reads a subnet, or a single address as a subnet of full length, as programs of the host print them. Returns `undefined` for
 * anything else.
 */
export function findSubnet(text: string): Subnet | undefined {
  try {
    return parseSubnet(text.includes("/") ? text : `${text}/${WIDTH[parseAddress(text).version]}`);
  } catch {
    return undefined;
  }
}

/** Returns whether two subnets share an address. */
export function subnetsOverlap(a: Subnet, b: Subnet): boolean {
  return a.version === b.version && a.first < b.first + b.size && b.first < a.first + a.size;
}

/** Returns the address `offset` places after a subnet's first one; a negative offset counts from its end (-1 is the last). */
export function addressAt({ version, first, size }: Subnet, offset: number): string {
  return formatAddress({ version, value: first + (offset < 0 ? size : 0n) + BigInt(offset) });
}

/** Writes an address in its canonical text form (RFC 5952 for IPv6). */
export function formatAddress({ version, value }: Address): string {
  if (version === 4) return [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 255n).join(".");
  const groups = Array.from({ length: 8 }, (_, i) => ((value >> BigInt(112 - 16 * i)) & 0xffffn).toString(16));
  const longest = longestZeros(groups);
  if (longest.length < 2) return groups.join(":");
  const head = groups.slice(0, longest.start).join(":");
  return `${head}::${groups.slice(longest.start + longest.length).join(":")}`;
}

/** Whether the subnet has the address. */
export function subnetContains(subnet: Subnet, address: Address): boolean {
  const offset = address.value - subnet.first;
  return address.version === subnet.version && offset >= 0n && offset < subnet.size;
}

/** The blocks whose addresses belong to one link each, with the prefixes that interfaces have there (RFC 3927, RFC 4291 2.5.6). */
const LINK_LOCAL = [
  { block: parseSubnet("169.254.0.0/16"), prefix: 16 },
  { block: parseSubnet("fe80::/10"), prefix: 64 },
] as const;

/** Returns the prefix length that a link-local address has at an interface: 16 or 64; `undefined` for any other text. */
export function linkLocalPrefix(text: string): number | undefined {
  const address = findSubnet(text);
  if (address === undefined || text.includes("/")) return undefined;
  const { version, first } = address;
  return LINK_LOCAL.find(({ block }) => subnetContains(block, { version, value: first }))?.prefix;
}

function parseIPv4(text: string): bigint | undefined {
  const bytes = IPV4.exec(text)?.slice(1).map(Number);
  if (bytes === undefined || bytes.some((byte) => byte > 255)) return undefined;
  // A server with thousands of networks reads all of their subnets: one BigInt for each, and no more.
  return BigInt(bytes.reduce((value, byte) => value * 256 + byte, 0));
}

function parseIPv6(text: string): bigint | undefined {
  const dotted = /^(.*:)([0-9]+\.[0-9.]+)$/.exec(text);
  if (dotted !== null) {
    const low = parseIPv4(dotted[2]);
    return low === undefined
      ? undefined
      : parseIPv6(`${dotted[1]}${(low >> 16n).toString(16)}:${(low & 0xffffn).toString(16)}`);
  }
  const halves = text.split("::");
  if (halves.length > 2) return undefined;
  const [head, tail] = halves.map((half) => half === "" ? [] : half.split(":"));
  const missing = 8 - head.length - (tail?.length ?? 0);
  if (tail ? missing < 1 : missing !== 0) return undefined;
  const groups = [...head, ...Array(missing).fill("0"), ...tail ?? []];
  if (!groups.every((group) => /^[0-9a-fA-F]{1,4}$/.test(group))) return undefined;
  return groups.reduce((value, group) => (value << 16n) | BigInt(`0x${group}`), 0n);
}

function longestZeros(groups: readonly string[]): { start: number; length: number } {
  let best = { start: 0, length: 0 };
  for (let start = 0; start < groups.length; start++) {
    let length = 0;
    while (groups[start + length] === "0") length++;
    if (length > best.length) best = { start, length };
    start += length;
  }
  return best;
}

/** Whether a listener at an address hears all addresses: none is named, or the unspecified one. */
export function isAnyAddress(text: string): boolean {
  return text === "" || text === "0.0.0.0" || text === "::";
}
