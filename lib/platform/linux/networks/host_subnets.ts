/**
 * The subnets that the host itself has, by the kernel's own files and answers: under Deno a choice of a free one costs no program.
 *
 * @module
 */
import { existsSync, readFileSync } from "node:fs";
import { networkInterfaces } from "node:os";
import { runCommand } from "../helpers/command.ts";
import { linkLocalPrefix } from "../../../engine/text/ip.ts";
import { kernelAddresses, kernelSubnets } from "./kernel_subnets.ts";

/** Addresses of interfaces (one that is down has no route) and destinations of routes in every table. The default route is none. */
export async function hostSubnets(): Promise<string[]> {
  // Every interface has the same route for what is local to its link.
  return [...new Set(kernelSubnets() ?? [...listedRoutes(), ...await listedAddresses()])];
}

/**
 * Addresses of interfaces, but for those that mean nothing apart from their link. Each running container has an interface here, without
 * another address: the list of interfaces would be read for nothing.
 */
export function hostAddresses(): string[] {
  return kernelAddresses() ?? listedInterfaces();
}

/** By the runtime's call, where the kernel cannot be asked. */
export function listedInterfaces(): string[] {
  const all = Object.values(networkInterfaces()).flatMap((links) => (links ?? []).map(({ address }) => address));
  return all.filter((address) => linkLocalPrefix(address) !== 64);
}

/** By the kernel's files, where it cannot be asked. */
export function listedRoutes(): string[] {
  const trie = readFileSync("/proc/net/fib_trie", "utf8");
  // A kernel without IPv6 has no routes of it.
  const routes = existsSync("/proc/net/ipv6_route") ? readFileSync("/proc/net/ipv6_route", "utf8") : "";
  return [...subnetsOfTrie(trie), ...routes.split("\n").flatMap(routeSubnet)];
}

/**
 * The destinations of IPv4 routes in the text of `/proc/net/fib_trie`: an address stands in a line of its own, and each route to it in one of
 * the lines below, which begin with its length.
 */
export function subnetsOfTrie(text: string): string[] {
  const found = new Set<string>();
  let address = "";
  for (const line of text.split("\n")) {
    const leaf = /^\s*\|-- (\d+\.\d+\.\d+\.\d+)/.exec(line);
    const length = /^\s*\/(\d+) /.exec(line);
    if (leaf) address = leaf[1]!;
    else if (length && address !== "" && length[1] !== "0") found.add(`${address}/${length[1]}`);
  }
  return [...found];
}

/** The destination of a line of `/proc/net/ipv6_route`: 32 digits, and a length in hexadecimal. */
export function routeSubnet(line: string): string[] {
  const [digits = "", length = ""] = line.split(/\s+/);
  const bits = parseInt(length, 16);
  if (!/^[\da-f]{32}$/.test(digits) || !(bits > 0 && bits <= 128)) return [];
  return [`${digits.match(/.{4}/g)!.join(":")}/${bits}`];
}

/** By iproute2: Node has no call for it. */
export async function listedAddresses(): Promise<string[]> {
  const { stdout } = await runCommand("ip", ["-json", "address", "show"]);
  // iproute2's own JSON; what is missing there is undefined and falls out.
  const interfaces = JSON.parse(stdout || "[]") as { addr_info?: { local?: string; prefixlen?: number }[] }[];
  return interfaces.flatMap(({ addr_info }) =>
    (addr_info ?? []).flatMap(({ local, prefixlen }) => local === undefined ? [] : [`${local}/${prefixlen}`])
  );
}
