import { readFile } from "node:fs/promises";
import { isIPv6 } from "node:net";
import { join } from "node:path";
import type { PortMapping } from "../../../../engine/records/container_record.ts";
import type { NetworkStatus } from "../../../../engine/records/network_status.ts";
import { CommandError, runCommand } from "../../helpers/command.ts";
import { interfacesIn } from "../joined_namespace.ts";
import { type Carrier, refusedNetwork, requireKnownProtocols, type UserNetworkSetup } from "./setup.ts";

/** The address at which a container finds the machine's resolver, as Podman has it. */
const RESOLVER = "169.254.1.1";
/** The engine's own option, in Podman's words. */
const MAP_GATEWAY = "--map-gw";

/**
 * Connects a namespace by pasta(1): the container has the addresses of the machine, its ports see the addresses of their callers, and
 * what it sends leaves as connections of the machine. The machine's loopback is out of its reach unless an option says otherwise.
 */
export async function startPasta(program: string, folder: string, setup: UserNetworkSetup): Promise<Carrier> {
  requireKnownProtocols(setup);
  const note = join(folder, "pid");
  try {
    await runCommand(program, [...pastaArguments(setup), "--pid", note, "--netns", setup.netns]);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    throw refusedNetwork(setup, lastLine(error.stderr));
  }
  const pid = Number(await readFile(note, "utf8"));
  return { pid, status: await readStatus(setup) };
}

/** The arguments of pasta(1), but for the namespace. The caller's options come last: where one is said twice they win. */
export function pastaArguments({ userNetwork: { options }, ports }: UserNetworkSetup): string[] {
  const own = options.filter((option) => option !== MAP_GATEWAY);
  const has = (name: string) => own.some((option) => option.startsWith(`--${name}=`));
  const listen = (protocol: PortMapping["protocol"], flag: string, name: string) => {
    const found = ports.filter((mapping) => mapping.protocol === protocol);
    if (found.length > 0) return found.flatMap((mapping) => [flag, portText(mapping)]);
    return has(name) ? [] : [flag, "none"];
  };
  return [
    // The namespace is root's, or that of the user namespace's root: as another user it could not be entered.
    ...["--config-net", "--quiet", "--runas", "0:0"],
    ...options.includes(MAP_GATEWAY) ? [] : ["--no-map-gw"],
    ...has("dns-forward") ? [] : ["--dns-forward", RESOLVER],
    ...listen("tcp", "-t", "tcp-ports"),
    ...listen("udp", "-u", "udp-ports"),
    ...has("tcp-ns") ? [] : ["-T", "none"],
    ...has("udp-ns") ? [] : ["-U", "none"],
    ...own,
  ];
}

/** A mapping as pasta reads it: `192.0.2.1/8000-8009:80-89`. */
function portText({ hostIP, hostPort, containerPort, range }: PortMapping): string {
  const span = (first: number) => range > 1 ? `${first}-${first + range - 1}` : String(first);
  const address = hostIP === "" ? "" : `${isIPv6(hostIP) ? `[${hostIP}]` : hostIP}/`;
  return `${address}${span(hostPort)}:${span(containerPort)}`;
}

async function readStatus(
  { netns, dnsServers = [], userNetwork: { options } }: UserNetworkSetup,
): Promise<NetworkStatus> {
  const interfaces = await interfacesIn(netns);
  // The gateway stands for the machine only where pasta maps it: without that it is the next router.
  const isMachine = options.includes(MAP_GATEWAY);
  for (const link of Object.values(interfaces)) {
    if (!isMachine) link.addresses = link.addresses.map(({ address, prefix }) => ({ address, prefix }));
  }
  const [, forward = RESOLVER] =
    options.map((option) => option.split("=")).find(([name]) => name === "--dns-forward") ??
      [];
  // A container that was given servers asks them itself.
  return { netns, interfaces, dnsServers: dnsServers.length > 0 ? [] : [forward], searchDomains: [] };
}

/** pasta tells its reason last; lines about a system log it cannot reach are none. */
function lastLine(text: string): string {
  const lines = text.split("\n").map((line) => line.trim());
  return lines.filter((line) => line !== "" && !/ to syslog$|^Don't run as root/.test(line)).at(-1) ?? "";
}
