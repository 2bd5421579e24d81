/**
 * IP addresses and subnets as numbers.
 *
 * @module
 */
import { isIP } from "node:net";

/** A subnet, or a single address as one of full length. */
export interface Subnet {
  family: 4 | 6;
  /** The first address. */
  base: bigint;
  prefix: number;
}

/** Reads `10.0.0.0/8`, `fd00::/64` or a single address; bits behind the prefix are dropped. `undefined` for anything else. */
export function parseSubnet(text: string): Subnet | undefined {
  const [address, length, more] = text.split("/");
  const family = isIP(address!);
  if (family !== 4 && family !== 6 || more !== undefined) return undefined;
  const bits = family === 4 ? 32 : 128;
  const prefix = length === undefined ? bits : /^\d{1,3}$/.test(length) ? Number(length) : -1;
  if (prefix < 0 || prefix > bits) return undefined;
  const host = BigInt(bits - prefix);
  const number = family === 4 ? parse4(address!) : parse6(address!);
  return { family, base: number >> host << host, prefix };
}

/** Whether two subnets share an address. */
export function overlap(a: Subnet, b: Subnet): boolean {
  if (a.family !== b.family) return false;
  const shift = BigInt((a.family === 4 ? 32 : 128) - Math.min(a.prefix, b.prefix));
  return a.base >> shift === b.base >> shift;
}

/** The address `offset` places behind the first one, or before the end where `offset` is negative (-1 is the last). */
export function addressAt(subnet: Subnet, offset: number): string {
  const size = 1n << BigInt((subnet.family === 4 ? 32 : 128) - subnet.prefix);
  const number = subnet.base + (offset < 0 ? size : 0n) + BigInt(offset);
  if (subnet.family === 4) return [24n, 16n, 8n, 0n].map((shift) => (number >> shift) & 255n).join(".");
  const groups = Array.from({ length: 8 }, (_, index) => (number >> BigInt(112 - 16 * index)) & 0xffffn);
  // The URL parser writes IPv6 addresses in their one canonical form.
  return new URL(`http://[${groups.map((group) => group.toString(16)).join(":")}]`).hostname.slice(1, -1);
}

function parse4(text: string): bigint {
  return text.split(".").reduce((number, part) => (number << 8n) + BigInt(part), 0n);
}

function parse6(text: string): bigint {
  const canonical = new URL(`http://[${text.split("%")[0]}]`).hostname.slice(1, -1);
  const [head, tail] = canonical.split("::").map((half) => half === "" ? [] : half.split(":"));
  const middle = tail === undefined ? [] : new Array<string>(8 - head!.length - tail.length).fill("0");
  return [...head!, ...middle, ...tail ?? []].reduce((number, group) => (number << 16n) + BigInt(`0x${group}`), 0n);
}
