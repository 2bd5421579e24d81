/**
 * The one nftables table of all servers of a machine: bridges, what containers may send where, and published ports.
 *
 * @module
 */
import { EngineError } from "../../../../engine/errors.ts";
import { runAtBridges } from "../bridge_command.ts";
import { CommandError } from "../../helpers/command.ts";

/** The table, as nft names it. */
export const TABLE = "inet gantry";

/**
 * Replies come back through the bridge only when the source is not the container's own neighbour or the loopback: those
 * connections are masqueraded. A bridge that routes loopback addresses (`route_localnet`) must not let containers reach
 * the host's loopback: the guard drops what claims to.
 *
 * Linux routes no packet from `::1` to a bridge: those have a process that listens there.
 *
 * The chains `apart` and `outward` stand in for netavark's of the bridges that this server makes itself. They are chains of their own,
 * since servers of earlier versions write the others anew. Isolated bridges are open to each other at published ports, as to
 * anybody who asks the host: `host.docker.internal` of one project leads to the ports of another.
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
add set ${TABLE} same { type ifname . ifname; }
add set ${TABLE} internal { type ifname; }
add set ${TABLE} isolated { type ifname; }
add set ${TABLE} strict { type ifname; }
add set ${TABLE} outward4 { type ipv4_addr; flags interval; }
add set ${TABLE} outward6 { type ipv6_addr; flags interval; }
add chain ${TABLE} guard { type filter hook prerouting priority -300; }
add chain ${TABLE} ports
add chain ${TABLE} prerouting { type nat hook prerouting priority -100; }
add chain ${TABLE} output { type nat hook output priority -100; }
add chain ${TABLE} postrouting { type nat hook postrouting priority 100; }
add chain ${TABLE} apart { type filter hook forward priority -1; }
add chain ${TABLE} outward { type nat hook postrouting priority 101; }
flush chain ${TABLE} guard
flush chain ${TABLE} ports
flush chain ${TABLE} prerouting
flush chain ${TABLE} output
flush chain ${TABLE} postrouting
flush chain ${TABLE} apart
flush chain ${TABLE} outward
add rule ${TABLE} guard iifname @bridges ip daddr 127.0.0.0/8 drop
add rule ${TABLE} ports meta nfproto ipv4 meta l4proto { tcp, udp, sctp } dnat ip to ip daddr . meta l4proto . th dport map @one4
add rule ${TABLE} ports meta nfproto ipv4 meta l4proto { tcp, udp, sctp } dnat ip to meta l4proto . th dport map @any4
add rule ${TABLE} ports meta nfproto ipv6 meta l4proto { tcp, udp, sctp } dnat ip6 to ip6 daddr . meta l4proto . th dport map @one6
add rule ${TABLE} ports meta nfproto ipv6 meta l4proto { tcp, udp, sctp } dnat ip6 to meta l4proto . th dport map @any6
add rule ${TABLE} prerouting fib daddr type local jump ports
add rule ${TABLE} output ip6 daddr ::1 return
add rule ${TABLE} output fib daddr type local jump ports
add rule ${TABLE} postrouting ct status dnat ip saddr 127.0.0.0/8 oifname @bridges masquerade
add rule ${TABLE} postrouting ct status dnat ip saddr . ip daddr @neighbours4 masquerade
add rule ${TABLE} postrouting ct status dnat ip6 saddr . ip6 daddr @neighbours6 masquerade
add rule ${TABLE} apart iifname . oifname @same accept
add rule ${TABLE} apart iifname @internal drop
add rule ${TABLE} apart oifname @internal drop
add rule ${TABLE} apart iifname @isolated oifname @isolated ct status dnat accept
add rule ${TABLE} apart iifname @isolated oifname @isolated drop
add rule ${TABLE} apart iifname @strict oifname @bridges drop
add rule ${TABLE} apart iifname @bridges oifname @strict drop
add rule ${TABLE} outward ip saddr . ip daddr @neighbours4 accept
add rule ${TABLE} outward ip daddr != 224.0.0.0/4 ip saddr @outward4 masquerade
add rule ${TABLE} outward ip6 saddr . ip6 daddr @neighbours6 accept
add rule ${TABLE} outward ip6 daddr != ff00::/8 ip6 saddr @outward6 masquerade
`;

/** A bridge, as the table knows it. */
export interface TableBridge {
  interface: string;
  subnets: readonly string[];
  /** Packets of its containers to the world get the host's address. */
  masquerades?: boolean;
  /** The sets of bridges that are kept apart: `internal`, `isolated`, `strict`. */
  sets?: readonly string[];
}

/** Makes the table, or brings it up to date, with a bridge in it. */
export async function addBridge(bridge: TableBridge): Promise<void> {
  await runScript([SCRIPT, ...bridgeElements("add", bridge)].join("\n"));
}

/**
 * Undoes {@linkcode addBridge}, however the bridge was added; the table goes with the last bridge.
 *
 * @param isShared Only the subnets go: the bridge is that of others, too
 */
export async function removeBridge({ interface: name, subnets }: TableBridge, isShared = false): Promise<void> {
  const whole: TableBridge = { interface: name, subnets, masquerades: true, sets: ["internal", "isolated", "strict"] };
  // Adding first makes the deletion succeed whatever is there: a transaction is undone whole when one part fails.
  const elements = isShared ? subnetElements : bridgeElements;
  const script = [SCRIPT, ...elements("add", whole), ...elements("delete", whole)].join("\n");
  if (await runNft(["list", "set", "inet", "gantry", "bridges"]).catch(ignoreMissing) === undefined) return;
  await runScript(script).catch(ignoreMissing);
  const left = await runNft(["list", "set", "inet", "gantry", "bridges"]).catch(ignoreMissing);
  if (left !== undefined && !left.includes("elements")) await runScript(`delete table ${TABLE}`).catch(ignoreMissing);
}

type ElementVerb = "add" | "delete";

/** The names of bridges were checked when their networks were made; they are quoted all the same. */
function bridgeElements(
  verb: ElementVerb,
  bridge: TableBridge,
): string[] {
  const { interface: name, sets = [] } = bridge;
  if (!/^[^"\s/]{1,15}$/.test(name)) throw new TypeError(`Change firewall: "${name}" is not an interface name`);
  const ofBridge = [
    ["bridges", `"${name}"`],
    ["same", `"${name}" . "${name}"`],
    ...sets.map((set) => [set, `"${name}"`]),
  ];
  return [...ofBridge.map(([set, key]) => setElement(verb, set, key)), ...subnetElements(verb, bridge)];
}

function subnetElements(verb: ElementVerb, { subnets, masquerades = false }: TableBridge): string[] {
  const ofSubnets = subnets.flatMap((subnet) => {
    const family = subnet.includes(":") ? 6 : 4;
    return [[`neighbours${family}`, `${subnet} . ${subnet}`], ...masquerades ? [[`outward${family}`, subnet]] : []];
  });
  return ofSubnets.map(([set, key]) => setElement(verb, set, key));
}

function setElement(verb: ElementVerb, set: string, key: string): string {
  return `${verb} element ${TABLE} ${set} { ${key} }`;
}

/** Runs a script as one transaction. */
export async function runScript(script: string): Promise<void> {
  await runNft(["--file", "-"], script);
}

/** Runs nft where the bridges are, and gives what it prints. Throws `EngineError("internal")`. */
export async function runNft(args: readonly string[], stdin?: string): Promise<string> {
  try {
    return (await runAtBridges("nft", args, { stdin })).stdout;
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    const hint = error.code === -1 || /not supported/i.test(error.stderr)
      ? " (networks need nftables and the kernel's support for it)"
      : "";
    throw new EngineError("internal", `Change firewall: ${error.message}${hint}`, { cause: error });
  }
}

/** Takes the failure of nft that something is missing for none; throws any other. */
export function ignoreMissing(error: unknown): undefined {
  if (errorSays(error, "No such file or directory")) return undefined;
  throw error;
}

/** Whether nft failed with a text. */
export function errorSays(error: unknown, text: string): boolean {
  return error instanceof EngineError && error.cause instanceof CommandError && error.cause.stderr.includes(text);
}
