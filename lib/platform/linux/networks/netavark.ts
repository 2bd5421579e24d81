/**
 * Driving netavark: JSON in, JSON out.
 *
 * @module
 */
import { existsSync } from "node:fs";
import { readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { isIPv4 } from "node:net";
import { join } from "node:path";
import process from "node:process";
import { EngineError } from "../../../engine/errors.ts";
import type { NetworkRecord } from "../../../engine/records/network_record.ts";
import type { NetworkSetup } from "../../../engine/ports/network_port.ts";
import { bridgeNamespace, runAtBridges } from "./bridge_command.ts";
import type { NetworkStatus } from "../../../engine/records/network_status.ts";
import { HELPER_FOLDERS } from "../helpers/programs.ts";

/** netavark's metric for routes that name none. */
export const METRIC = 100;

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
 * @param env Variables besides those that netavark always gets
 */
export async function netavarkSetup(
  netavark: Netavark,
  options: NetworkSetup,
  lock?: string,
  env?: Record<string, string>,
): Promise<Pick<NetworkStatus, "interfaces" | "dnsServers" | "searchDomains">> {
  // netavark's own answer; absent keys are allowed for in the type.
  const answer = JSON.parse(await runNetavark(netavark, "setup", options, lock, env)) as Answer;
  const status: Pick<NetworkStatus, "interfaces" | "dnsServers" | "searchDomains"> = {
    interfaces: {},
    dnsServers: [],
    searchDomains: [],
  };
  for (const { network } of options.attachments) {
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
export async function netavarkTeardown(netavark: Netavark, options: NetworkSetup, lock?: string): Promise<void> {
  await runNetavark(netavark, "teardown", options, lock);
}

/**
 * Drops all names of a network, those of containers that ended without a teardown too. aardvark-dns ends with its last
 * network.
 */
export async function forgetNames({ config }: Netavark, network: NetworkRecord): Promise<void> {
  const folder = join(config, "aardvark-dns");
  await rm(join(folder, keyOf(network)), { force: true });
  await reloadNames(folder);
}

/**
 * Drops the names that a container has in networks, without a run of netavark, which would take an empty bridge down. No other
 * process may drive netavark meanwhile.
 */
export async function forgetContainer(
  { config }: Netavark,
  networks: readonly NetworkRecord[],
  containerID: string,
): Promise<void> {
  const folder = join(config, "aardvark-dns");
  for (const network of networks) {
    const file = join(folder, keyOf(network));
    const lines = (await readFile(file, "utf8").catch(() => "")).split("\n").filter((line) => line !== "");
    // The first line is the network's; each other begins with the ID of a container.
    const left = lines.filter((line, i) => i === 0 || !line.startsWith(`${containerID} `));
    if (left.length === lines.length) continue;
    if (left.length === 1) {
      await rm(file, { force: true });
    } else {
      // aardvark-dns takes every file of its folder for a network.
      const temporary = join(config, `.names-${keyOf(network)}`);
      await writeFile(temporary, left.map((line) => `${line}\n`).join(""));
      await rename(temporary, file);
    }
  }
  await reloadNames(folder);
}

/** Lets aardvark-dns read its folder anew. It ends when it finds no network there. */
async function reloadNames(folder: string): Promise<void> {
  const pid = Number(await readFile(join(folder, "aardvark.pid"), "utf8").catch(() => ""));
  // The file may be older than the process that has the number now.
  const command = pid > 0 ? await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "") : "";
  if (command.split("\0").includes(folder)) process.kill(pid, "SIGHUP");
}

/** Lets aardvark-dns ask other servers for the names it does not know, from now on. */
export async function updateServers(netavark: Netavark, network: NetworkRecord, lock?: string): Promise<void> {
  const file = join(netavark.config, "aardvark-dns", keyOf(network));
  // No container is in the network: the next one brings the servers along.
  if (!await stat(file).then(() => true, () => false)) return;
  const servers = network.dnsServers ?? [];
  await callNetavark(
    netavark,
    ["update", keyOf(network), "--network-dns-servers", servers.join(",")],
    "Update network",
    lock,
  );
}

async function runNetavark(
  netavark: Netavark,
  verb: "setup" | "teardown",
  options: NetworkSetup,
  lock?: string,
  env?: Record<string, string>,
): Promise<string> {
  const what = `${verb === "setup" ? "Set up" : "Tear down"} network`;
  return await callNetavark(netavark, [verb, options.netns], what, lock, {
    stdin: JSON.stringify(setupRequest(options)),
    env,
  });
}

async function callNetavark(
  netavark: Netavark,
  args: string[],
  what: string,
  lock?: string,
  { stdin = "", env = {} }: { stdin?: string; env?: Record<string, string> } = {},
): Promise<string> {
  const { program, aardvark, config } = netavark;
  const flags = [
    "--config",
    config,
    "--rootless",
    String(bridgeNamespace() !== undefined),
    "--aardvark-binary",
    aardvark,
  ];
  const words = [program, ...flags, ...args];
  // aardvark-dns outlives the call and must not inherit the lock.
  const command = lock === undefined ? words : ["flock", "--close", "--timeout", "30", lock, ...words];
  const { code, stdout, stderr } = await runAtBridges(command[0]!, command.slice(1), {
    stdin,
    env,
    accept: [0, 1],
  });
  if (code === 0) return stdout;
  const reason = errorIn(stdout) ?? (stderr.trim() || `exit code ${code}`);
  const hint = /iptables|nat table|xtables/i.test(reason)
    ? " (netavark needs iptables and the kernel's support for it)"
    : "";
  throw new EngineError("internal", `${what}: netavark: ${reason}${hint}`);
}

/**
 * netavark names chains and files after the network's name; the bridge's name is the one no other server has. Networks that
 * are no bridges have neither.
 */
function keyOf({ driver, interface: name, id }: NetworkRecord): string {
  return driver === "bridge" ? name : id.slice(0, 12);
}

function setupRequest(setup: NetworkSetup): unknown {
  const { containerID, containerName, attachments, dnsServers = [], before = 0 } = setup;
  return {
    container_id: containerID,
    container_name: containerName,
    networks: Object.fromEntries(attachments.map(({ network, attachment }) => [keyOf(network), {
      static_ips: attachment.staticIPs,
      aliases: attachment.aliases,
      interface_name: attachment.interfaceName,
      static_mac: attachment.mac ?? macFor(attachment.staticIPs),
    }])),
    network_info: Object.fromEntries(
      attachments.map(({ network }, i) => [keyOf(network), networkInfo(network, before + i)]),
    ),
    ...dnsServers.length > 0 && { dns_servers: dnsServers },
  };
}

/**
 * A locally administered MAC made of the first IPv4 address. When an address passes on to another container, what the host
 * and its neighbours remember of it stays right; with a random one they would talk to nobody for seconds.
 */
export function macFor(addresses: readonly string[]): string | undefined {
  const address = addresses.find((text) => isIPv4(text));
  return address &&
    ["02", "67", ...address.split(".").map((part) => Number(part).toString(16).padStart(2, "0"))].join(":");
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
    options: { ...place > 0 && { metric: String(METRIC + place) }, ...network.options },
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
