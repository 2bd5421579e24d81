/**
 * Published ports: one nftables table for all servers of a machine, in which each published port is one map element.
 * netavark could publish as well, by a chain of iptables rules per container; taking those away costs 80 to 140 ms.
 *
 * @module
 */
import { isIPv6 } from "node:net";
import { networkInterfaces } from "node:os";
import type { PortMapping } from "../../../engine/records/container_record.ts";
import { EngineError } from "../../../engine/errors.ts";
import type { PublishedPorts } from "../../../engine/ports/network_port.ts";
import { portInUse } from "../../../engine/ports/published_ports.ts";
import { CommandError, runCommand } from "../helpers/command.ts";

const TABLE = "inet gantry";

/**
 * Replies come back through the bridge only when the source is not the container's own neighbour or the loopback: those
 * connections are masqueraded. A bridge that routes loopback addresses (`route_localnet`) must not let containers reach
 * the host's loopback: the guard drops what claims to.
 */
const SCRIPT = `
add table ${TABLE}
add map ${TABLE} any4 { type inet_proto . inet_service : ipv4_addr . inet_service; }
add map ${TABLE} one4 { type ipv4_addr . inet_proto . inet_service : ipv4_addr . inet_service; }
add map ${TABLE} any6 { type inet_proto . inet_service : ipv6_addr . inet_service; }
add map ${TABLE} one6 { type ipv6_addr . inet_proto . inet_service : ipv6_addr . inet_service; }
add set ${TABLE} neighbours4 { type ipv4_addr . ipv4_addr; flags interval; }
add set ${TABLE} neighbours6 { type ipv6_addr . ipv6_addr; flags interval; }
add set ${TABLE} bridges { type ifname; }
add chain ${TABLE} guard { type filter hook prerouting priority -300; }
add chain ${TABLE} ports
add chain ${TABLE} prerouting { type nat hook prerouting priority -100; }
add chain ${TABLE} output { type nat hook output priority -100; }
add chain ${TABLE} postrouting { type nat hook postrouting priority 100; }
flush chain ${TABLE} guard
flush chain ${TABLE} ports
flush chain ${TABLE} prerouting
flush chain ${TABLE} output
flush chain ${TABLE} postrouting
add rule ${TABLE} guard iifname @bridges ip daddr 127.0.0.0/8 drop
add rule ${TABLE} ports meta nfproto ipv4 meta l4proto { tcp, udp, sctp } dnat ip to ip daddr . meta l4proto . th dport map @one4
add rule ${TABLE} ports meta nfproto ipv4 meta l4proto { tcp, udp, sctp } dnat ip to meta l4proto . th dport map @any4
add rule ${TABLE} ports meta nfproto ipv6 meta l4proto { tcp, udp, sctp } dnat ip6 to ip6 daddr . meta l4proto . th dport map @one6
add rule ${TABLE} ports meta nfproto ipv6 meta l4proto { tcp, udp, sctp } dnat ip6 to meta l4proto . th dport map @any6
add rule ${TABLE} prerouting fib daddr type local jump ports
add rule ${TABLE} output fib daddr type local jump ports
add rule ${TABLE} postrouting ct status dnat ip saddr 127.0.0.0/8 oifname @bridges masquerade
add rule ${TABLE} postrouting ct status dnat ip saddr . ip daddr @neighbours4 masquerade
add rule ${TABLE} postrouting ct status dnat ip6 saddr . ip6 daddr @neighbours6 masquerade
`;

/** An entry of one of the table's maps. */
export interface Published {
  map: string;
  /** As nft reads it: `tcp . 8080`, `127.0.0.1 . tcp . 8080`. */
  key: string;
  owner: string;
}

/** A bridge and its subnets, as the table knows them. */
export interface PublishedBridge {
  interface: string;
  subnets: readonly string[];
}

/** Makes the table, or brings it up to date, and lets published ports reach a bridge. */
export async function addBridge(bridge: PublishedBridge): Promise<void> {
  await runScript(SCRIPT + bridgeElements("add", bridge));
}

/** Undoes {@linkcode addBridge}; the table goes with the last bridge. */
export async function removeBridge(bridge: PublishedBridge): Promise<void> {
  // Adding first makes the deletion succeed whatever is there: a transaction is undone whole when one part fails.
  await runScript(`${bridgeElements("add", bridge)}\n${bridgeElements("delete", bridge)}`).catch(ignoreMissing);
  const left = await listRules(["list", "set", "inet", "gantry", "bridges"]).catch(ignoreMissing);
  if (left !== undefined && !left.includes("elements")) await runScript(`delete table ${TABLE}`).catch(ignoreMissing);
}

/** The part of {@linkcode PublishedPorts} that an element is made of. */
type PublishOptions = Pick<PublishedPorts, "containerID" | "ports" | "addresses">;

/**
 * Publishes all of a container's ports or none, in place of those it has. A port that another container has, of this server or
 * of another one, is `EngineError("port_in_use")`.
 *
 * @param old The elements the container has
 * @returns Those it has now
 */
export async function publishPorts(options: PublishOptions, old: readonly Published[] = []): Promise<Published[]> {
  const lines = options.addresses.flatMap((address) => mapElements(options, address));
  if (lines.length + old.length === 0) return [];
  try {
    await runScript([...deleteLines(old), ...createLines(options.containerID, lines)].join("\n"));
  } catch (error) {
    if (!errorSays(error, "File exists")) throw error;
    // nft does not say which.
    throw portInUse(options.ports[0]!, options.ports[0]!.hostPort, error);
  }
  return lines.map(([map, key]) => ({ map, key, owner: options.containerID }));
}

/**
 * Takes back every port of a container.
 *
 * @param known Its elements, where this process has made them: looking for them takes the longer the more ports there are
 */
export async function unpublishPorts(containerID: string, known?: readonly Published[]): Promise<void> {
  if (known !== undefined) {
    try {
      if (known.length > 0) await runScript(deleteLines(known).join("\n"));
      return;
    } catch (error) {
      // A firewall that was loaded anew has flushed some of them.
      ignoreMissing(error);
    }
  }
  const mine = await publishedBy(containerID);
  if (mine.length === 0) return;
  await runScript(deleteLines(mine).join("\n")).catch(ignoreMissing);
}

/** The elements of a container, whoever has made them. */
export async function publishedBy(containerID: string): Promise<Published[]> {
  return (await listPublished()).filter(({ owner }) => owner === containerID);
}

/**
 * Returns whether containers have none of the ports. One look costs the same however many ports are published: the kernel is
 * asked whether it would take them, and takes none.
 */
export async function areUnpublished(ports: readonly PortMapping[]): Promise<boolean> {
  const own = Object.values(networkInterfaces()).flatMap((links) => (links ?? []).map(({ address }) => address));
  const wanted = ports.flatMap((mapping) => {
    // A port of every address clashes with that of a single one, and the other way round.
    const others = isWildcard(mapping.hostIP) ? own : [""];
    return [mapping, ...others.map((hostIP) => ({ ...mapping, hostIP }))];
  });
  const asked = { containerID: "check", ports: wanted, addresses: [] };
  const lines = ["127.0.0.1", "::1"].flatMap((target) => mapElements(asked, target));
  const unique = [...new Map(lines.map((line) => [`${line[0]} ${line[1]}`, line])).values()];
  if (unique.length === 0) return true;
  try {
    await runNft(["--check", "--file", "-"], createLines("check", unique).join("\n"));
    return true;
  } catch (error) {
    if (errorSays(error, "File exists")) return false;
    // Without the table nothing is published.
    ignoreMissing(error);
    return true;
  }
}

/** One command for all elements of a map: each command costs the kernel and nft as much as hundreds of elements. */
function createLines(owner: string, lines: readonly Element[]): string[] {
  return [...Map.groupBy(lines, ([map]) => map)].map(([map, found]) => {
    const items = found.map(([, key, value]) => `${key} comment "${owner}" : ${value}`);
    return `create element ${TABLE} ${map} { ${items.join(", ")} }`;
  });
}

function deleteLines(entries: readonly Published[]): string[] {
  return [...Map.groupBy(entries, ({ map }) => map)].map(([map, found]) =>
    `delete element ${TABLE} ${map} { ${found.map(({ key }) => key).join(", ")} }`
  );
}

/** Every published port there is. */
async function listPublished(): Promise<Published[]> {
  const listed = await listRules(["--json", "list", "table", "inet", "gantry"]).catch(ignoreMissing);
  if (listed === undefined) return [];
  const found: Published[] = [];
  // nft's JSON, see libnftables-json(5): an element with a comment is wrapped, and a map's is a pair of key and value.
  const { nftables } = JSON.parse(listed) as { nftables: { map?: { name: string; elem?: NftElement[] } }[] };
  for (const { map } of nftables) {
    for (const [key] of map?.elem ?? []) {
      if ("elem" in key) found.push({ map: map!.name, key: key.elem.val.concat.join(" . "), owner: key.elem.comment });
    }
  }
  return found;
}

type NftElement = [{ elem: { val: { concat: (string | number)[] }; comment: string } } | { concat: unknown }, unknown];

/** A map, and the key and value of an element in it. */
type Element = [map: string, key: string, value: string];

function mapElements({ ports }: PublishOptions, address: string): Element[] {
  const family = isIPv6(address) ? 6 : 4;
  return ports.flatMap(({ hostIP, hostPort, containerPort, protocol, range }) => {
    const wildcard = isWildcard(hostIP);
    // An address of one family cannot be forwarded to one of the other; `0.0.0.0` means IPv4 alone.
    if (hostIP !== "" && isIPv6(hostIP) !== (family === 6)) return [];
    return Array.from({ length: range }, (_, index): Element => [
      `${wildcard ? "any" : "one"}${family}`,
      `${wildcard ? "" : `${hostIP} . `}${protocol} . ${hostPort + index}`,
      `${address} . ${containerPort + index}`,
    ]);
  });
}

function isWildcard(hostIP: string): boolean {
  return hostIP === "" || hostIP === "0.0.0.0" || hostIP === "::";
}

function bridgeElements(verb: "add" | "delete", bridge: PublishedBridge): string {
  const neighbours = bridge.subnets.map((subnet) =>
    `${verb} element ${TABLE} neighbours${subnet.includes(":") ? 6 : 4} { ${subnet} . ${subnet} }`
  );
  return [`${verb} element ${TABLE} bridges { "${bridge.interface}" }`, ...neighbours].join("\n");
}

/** Runs a script as one transaction. */
async function runScript(script: string): Promise<void> {
  await runNft(["--file", "-"], script);
}

async function listRules(args: readonly string[]): Promise<string> {
  return await runNft(args);
}

async function runNft(args: readonly string[], stdin?: string): Promise<string> {
  try {
    return (await runCommand("nft", args, { stdin })).stdout;
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    const hint = error.code === -1 || /not supported/i.test(error.stderr)
      ? " (published ports need nftables and the kernel's support for it)"
      : "";
    throw new EngineError("internal", `Publish ports: ${error.message}${hint}`, { cause: error });
  }
}

function ignoreMissing(error: unknown): undefined {
  if (errorSays(error, "No such file or directory")) return undefined;
  throw error;
}

function errorSays(error: unknown, text: string): boolean {
  return error instanceof EngineError && error.cause instanceof CommandError && error.cause.stderr.includes(text);
}
