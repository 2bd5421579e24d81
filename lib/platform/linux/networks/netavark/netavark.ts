/**
 * Driving netavark: JSON in, JSON out.
 *
 * @module
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { EngineError } from "../../../../engine/errors.ts";
import type { NetworkRecord } from "../../../../engine/records/network_record.ts";
import type { NetworkSetup } from "../../../../engine/ports/network_port.ts";
import { bridgeNamespace, runAtBridges } from "../bridge_command.ts";
import { macFor, METRIC } from "../links/connect_links.ts";
import type { NetworkStatus } from "../../../../engine/records/network_status.ts";
import { HELPER_FOLDERS } from "../../helpers/programs.ts";

/** The paths of netavark and aardvark-dns, and of the folder in which netavark keeps its state. */
export interface Netavark {
  program: string;
  aardvark: string;
  config: string;
}

/** The answer of netavark, by network: the keys are its own. */
type Answer = Record<string, {
  dns_search_domains?: string[] | null;
  dns_server_ips?: string[] | null;
  interfaces?: Record<string, { mac_address: string; subnets?: { gateway?: string | null; ipnet: string }[] | null }>;
}>;

/**
 * Connects a namespace to its networks. With `lock`, no other process may do so at the same time: netavark looks for
 * chains and rules before it makes them, and two that make the first ones fail each other.
 *
 * @param chosen The container's networks that netavark connects; the others are there, or are made otherwise
 */
export async function netavarkSetup(
  netavark: Netavark,
  options: NetworkSetup,
  lock: string,
  chosen: NetworkSetup["attachments"] = options.attachments,
): Promise<Pick<NetworkStatus, "interfaces" | "dnsServers" | "searchDomains">> {
  // netavark's own answer; absent keys are allowed for in the type.
  const answer = JSON.parse(await runNetavark(netavark, "setup", options, lock, chosen)) as Answer;
  const status: Pick<NetworkStatus, "interfaces" | "dnsServers" | "searchDomains"> = {
    interfaces: {},
    dnsServers: [],
    searchDomains: [],
  };
  for (const { network } of chosen) {
    const given = answer[keyOf(network)];
    for (const [name, { mac_address: mac, subnets }] of Object.entries(given?.interfaces ?? {})) {
      const addresses = (subnets ?? []).map(({ ipnet, gateway }) => {
        const [address, prefix] = ipnet.split("/");
        return { address: address!, prefix: Number(prefix), ...gateway && { gateway: gateway.split("/")[0]! } };
      });
      status.interfaces[network.name] = { name, mac, addresses };
    }
    status.dnsServers.push(...given?.dns_server_ips ?? []);
    status.searchDomains.push(...given?.dns_search_domains ?? []);
  }
  status.searchDomains = [...new Set(status.searchDomains)];
  return status;
}

/** Disconnects a namespace; with the last one on a bridge, the bridge and its firewall rules go too. */
export async function netavarkTeardown(netavark: Netavark, options: NetworkSetup, lock: string): Promise<void> {
  await runNetavark(netavark, "teardown", options, lock, options.attachments);
}

async function runNetavark(
  { program, aardvark, config }: Netavark,
  verb: "setup" | "teardown",
  options: NetworkSetup,
  lock: string,
  chosen: NetworkSetup["attachments"],
): Promise<string> {
  const isRootless = bridgeNamespace() !== undefined;
  const flags = ["--config", config, "--rootless", String(isRootless), "--aardvark-binary", aardvark];
  // aardvark-dns outlives the call and must not inherit the lock.
  const words = ["--close", "--timeout", "30", lock, program, ...flags, verb, options.netns];
  const stdin = JSON.stringify(setupRequest(options, chosen));
  const { code, stdout, stderr } = await runAtBridges("flock", words, { stdin, accept: [0, 1] });
  if (code === 0) return stdout;
  const reason = errorIn(stdout) ?? (stderr.trim() || `exit code ${code}`);
  const hint = /iptables|nat table|xtables/i.test(reason)
    ? " (netavark needs iptables and the kernel's support for it)"
    : "";
  throw new EngineError("internal", `${verb === "setup" ? "Set up" : "Tear down"} network: netavark: ${reason}${hint}`);
}

/**
 * netavark names chains and files after the network's name; the bridge's name is the one no other server has. Networks that
 * are no bridges have neither.
 */
export function keyOf({ driver, interface: name, id }: NetworkRecord): string {
  return driver === "bridge" ? name : id.slice(0, 12);
}

function setupRequest(setup: NetworkSetup, chosen: NetworkSetup["attachments"]): unknown {
  const { containerID, containerName, attachments, dnsServers = [], before = 0 } = setup;
  return {
    container_id: containerID,
    container_name: containerName,
    networks: Object.fromEntries(chosen.map(({ network, attachment }) => [keyOf(network), {
      static_ips: attachment.staticIPs,
      aliases: attachment.aliases,
      interface_name: attachment.interfaceName,
      static_mac: attachment.mac ?? macFor(attachment.staticIPs),
    }])),
    network_info: Object.fromEntries(
      chosen.map((each) => [keyOf(each.network), networkInfo(each.network, before + attachments.indexOf(each))]),
    ),
    ...dnsServers.length > 0 && { dns_servers: dnsServers },
  };
}

/**
 * A network in netavark's words.
 *
 * @param network The network
 * @param place How many of the container's networks come before it: its default route yields to theirs
 */
function networkInfo(network: NetworkRecord, place: number): unknown {
  return {
    name: keyOf(network),
    id: network.id,
    driver: network.driver,
    network_interface: network.interface,
    created: network.created,
    subnets: network.subnets.map(({ subnet, gateway }) => ({ subnet, gateway })),
    ipv6_enabled: network.ipv6,
    internal: network.internal,
    dns_enabled: network.dns,
    ...network.dnsServers?.length && { network_dns_servers: network.dnsServers },
    ipam_options: { driver: network.addressSource ?? "host-local" },
    options: { ...place !== 0 && { metric: String(METRIC + place) }, ...network.options },
  };
}

function errorIn(stdout: string): string | undefined {
  try {
    const { error } = JSON.parse(stdout) as { error?: unknown };
    return typeof error === "string" ? error : undefined;
  } catch {
    return undefined;
  }
}

/** The parts where this distribution installs them; the usual folder where they are not there. */
export function netavarkAt(config: string, folders: readonly string[] = HELPER_FOLDERS): Netavark {
  const folder = folders.find((folder) => existsSync(join(folder, "netavark"))) ?? folders[0]!;
  return { program: join(folder, "netavark"), aardvark: join(folder, "aardvark-dns"), config };
}
