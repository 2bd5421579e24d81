/**
 * The files every container finds in /etc that are about its place, not its image.
 *
 * @module
 */
import type { ContainerRecord } from "../../../../engine/records/container_record.ts";
import type { NetworkStatus } from "../../../../engine/records/network_status.ts";
import { splitPair } from "../../../../engine/text/pairs.ts";
import { hostTextSync } from "../../helpers/bounded_read.ts";

/** Used where the host names no server a container could reach. */
const PUBLIC_SERVERS = ["8.8.8.8", "8.8.4.4"];
/** systemd-resolved's own list, for hosts whose resolv.conf names its loopback stub only. */
const RESOLVED_CONF = "/run/systemd/resolve/resolv.conf";

/**
 * Writes /etc/hosts: what was asked for, the loopback names, the entries it begins with, the container's addresses.
 *
 * @param base The file whose entries it takes over
 */
export function hostsText(
  record: ContainerRecord,
  network: NetworkStatus | undefined,
  base: string,
): string {
  const lines: [string, string[]][] = [];
  const seen = new Set<string>();
  const add = (address: string, names: string[]) => {
    const fresh = names.filter((name) => !seen.has(name));
    for (const name of fresh) seen.add(name);
    if (fresh.length > 0) lines.push([address, fresh]);
  };
  const addresses = Object.values(network?.interfaces ?? {}).flatMap((link) => link.addresses);
  const { hosts, hostAddress = addresses.find((address) => address.gateway)?.gateway } = record.spec;
  const gateway = hostAddress === "none" ? undefined : hostAddress;
  for (const entry of hosts) {
    const [names, address] = splitPair(entry, ":");
    add(address === "host-gateway" ? gateway ?? "127.0.0.1" : address, names.split(";"));
  }
  // Both addresses belong to the one name.
  lines.push(["127.0.0.1", ["localhost"]], ["::1", ["localhost", "ip6-localhost", "ip6-loopback"]]);
  for (const name of ["localhost", "ip6-localhost", "ip6-loopback"]) seen.add(name);
  const names = ownNames(record);
  const { mode } = record.spec.namespaces.network;
  if (addresses.length > 0) {
    for (const { address } of addresses) lines.push([address, names]);
    for (const name of names) seen.add(name);
  } else if (mode !== "host") {
    add("127.0.1.1", names);
  }
  if (gateway !== undefined) add(gateway, ["host.containers.internal", "host.docker.internal"]);
  for (const [address, names] of entriesOf(base)) if (mode === "host" || !isLoopback(address)) add(address, names);
  return lines.map(([address, names]) => `${address}\t${names.join(" ")}\n`).join("");
}

/** Returns the names of a container in its /etc/hosts. With a domain the full name comes first, as hosts(5) has it and Docker writes it. */
export function ownNames({ hostname, name, spec }: Pick<ContainerRecord, "hostname" | "name" | "spec">): string[] {
  const domain = spec.sysctl["kernel.domainname"];
  const full = domain && hostname !== "" ? [`${hostname}.${domain}`] : [];
  return [...full, hostname, name].filter((text) => text !== "");
}

/** Writes /etc/resolv.conf: what was asked for, else what the networks give, else what the host uses. */
export function resolvConfText(record: ContainerRecord, network: NetworkStatus | undefined): string {
  const { dnsServers, dnsSearch, dnsOptions, namespaces } = record.spec;
  const host = hostResolver(namespaces.network.mode === "host");
  const given = network?.dnsServers ?? [];
  // A network's own server answers container names, and asks those servers itself.
  const servers = given.length > 0 ? given : dnsServers.length > 0 ? dnsServers : host.servers;
  const search = dnsSearch.length > 0 ? dnsSearch : [...network?.searchDomains ?? [], ...host.search];
  const options = dnsOptions.length > 0 ? dnsOptions : host.options;
  const lines = servers.map((server) => `nameserver ${server}`);
  // A lone dot asks for no search list at all.
  if (search.length > 0 && !search.includes(".")) lines.unshift(`search ${[...new Set(search)].join(" ")}`);
  if (options.length > 0) lines.push(`options ${options.join(" ")}`);
  return lines.map((line) => `${line}\n`).join("");
}

/** Writes /run/.containerenv: empty, but for privileged containers, which are told who they are. */
export function containerEnvText(record: ContainerRecord): string {
  if (!record.spec.privileged) return "";
  const { name, id, imageName, imageID } = record;
  const facts = { engine: "podman-4.3.1", name, id, image: imageName, imageid: imageID };
  return Object.entries(facts).map(([key, value]) => `${key}=${JSON.stringify(value)}\n`).join("") + "rootless=0\n";
}

function entriesOf(text: string): [string, string[]][] {
  return fieldsOf(text).filter((fields) => fields.length > 1).map(([address, ...names]) => [address!, names]);
}

interface Resolver {
  servers: string[];
  search: string[];
  options: string[];
}

function hostResolver(isHostNetwork: boolean): Resolver {
  const own = parseResolver(hostTextSync("/etc/resolv.conf"));
  if (isHostNetwork) return own;
  const reachable = own.servers.filter((server) => !isLoopback(server));
  if (reachable.length > 0) return { ...own, servers: reachable };
  const resolved = parseResolver(hostTextSync(RESOLVED_CONF));
  const servers = resolved.servers.filter((server) => !isLoopback(server));
  return { ...own, servers: servers.length > 0 ? servers : PUBLIC_SERVERS };
}

function parseResolver(text: string): Resolver {
  const lines = fieldsOf(text);
  const all = (keyword: string) => lines.filter((fields) => fields[0] === keyword).flatMap((fields) => fields.slice(1));
  return { servers: all("nameserver"), search: all("search"), options: all("options") };
}

function fieldsOf(text: string): string[][] {
  return text.split("\n").map((line) => line.replace(/[#;].*/, "").trim()).filter((line) => line !== "")
    .map((line) => line.split(/\s+/));
}

function isLoopback(address: string): boolean {
  return address.startsWith("127.") || address === "::1";
}
