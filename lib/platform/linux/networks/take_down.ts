import type { NetworkSetup } from "../../../engine/ports/network_port.ts";
import type { NetworkRecord } from "../../../engine/records/network_record.ts";
import { addressAt, parseSubnet } from "../../../engine/text/ip.ts";
import { bridgePorts, hasBridge, portsGone } from "./bridge.ts";
import { deletionSteps } from "./links/connect_links.ts";
import type { LinkHelper } from "./links/link_helper.ts";
import { netavarkSetup, netavarkTeardown } from "./netavark/netavark.ts";
import { hasAnyRule } from "./netavark/netavark_rules.ts";
import type { NetworkPrograms } from "./network_programs.ts";
import type { PreparedBridges } from "./prepared_bridges.ts";
import { removeBridge } from "./rules/firewall_table.ts";

/** The namespaces in which the last connection of a bridge is made. */
export interface Namespaces {
  createNamespace(containerID: string): Promise<string>;
  deleteNamespace(containerID: string): Promise<void>;
}

/** The parts of a host that take a bridge down. */
export interface TakeDownParts {
  programs: NetworkPrograms;
  helper: LinkHelper;
  namespaces: Namespaces;
  prepared: PreparedBridges;
  /** The file whose lock those have who change rules. */
  lock: string;
}

/** How often netavark's rules are taken away: what is on the bridge in between keeps them. */
const ATTEMPTS = 3;

/**
 * Removes a bridge with its rules and names.
 *
 * @param isShared Whether other networks have the bridge: it stays, with all that is not this network's alone
 */
export async function takeDownBridge(parts: TakeDownParts, network: NetworkRecord, isShared: boolean): Promise<void> {
  const { programs, helper, prepared } = parts;
  const { interface: name } = network;
  const subnets = network.subnets.map(({ subnet }) => subnet);
  for (let i = 0; i < ATTEMPTS && await hasAnyRule(network); i++) await removeNetavarkRules(parts, network);
  if (!isShared) await portsGone(name);
  const isOurs = !isShared && network.options.mode !== "unmanaged";
  // A bridge that its user has put something else on is not ours to delete.
  if (isOurs && hasBridge(name) && (await bridgePorts(name)).length === 0) await helper.run(...deletionSteps(name));
  if (network.dns) await programs.names.forgetNetwork(network);
  await removeBridge({ interface: name, subnets }, isShared);
  await prepared.forbid(subnets);
}

/**
 * Takes away the rules that netavark made for a bridge. It does so with the last container of a network, so one is connected and
 * disconnected when there is none.
 */
async function removeNetavarkRules(
  { programs, namespaces, lock }: TakeDownParts,
  network: NetworkRecord,
): Promise<void> {
  // Named after the bridge: it takes the place of the one that a server left when it was killed here.
  const id = `gantry-${network.interface}`;
  const netns = await namespaces.createNamespace(id);
  await portsGone(network.interface);
  const attachment = {
    aliases: [],
    staticIPs: network.subnets.map(({ subnet }) => lastAddress(subnet)),
    interfaceName: "eth0",
  };
  const last: NetworkSetup = {
    containerID: id,
    containerName: id,
    netns,
    ports: [],
    attachments: [{ network: { ...network, dns: false }, attachment }],
  };
  try {
    await netavarkSetup(programs.netavark, last, lock);
    await netavarkTeardown(programs.netavark, last, lock);
  } finally {
    await namespaces.deleteNamespace(id);
  }
}

/** The last address of a subnet that a host may have. */
function lastAddress(subnet: string): string {
  const parsed = parseSubnet(subnet);
  return addressAt(parsed, parsed.size > 2n ? -2 : -1);
}
