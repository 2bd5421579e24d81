import type { NetworkSetup } from "../../../engine/ports/network_port.ts";
import type { NetworkRecord } from "../../../engine/records/network_record.ts";
import { addressAt, parseSubnet } from "../../../engine/text/ip.ts";
import { bridgeNamespace } from "./bridge_command.ts";
import { bridgePorts, deleteBridge, hasBridge, portsGone } from "./bridge.ts";
import { forbidPublished } from "./forward_rules.ts";
import { hasAnyRule } from "./firewall_rules.ts";
import { forgetNames, type Netavark, netavarkSetup, netavarkTeardown } from "./netavark.ts";
import { removeBridge } from "./published_ports.ts";

/** The namespaces in which the last connection of a bridge is made. */
export interface Namespaces {
  createNamespace(containerID: string): Promise<string>;
  deleteNamespace(containerID: string): Promise<void>;
}

/** How often the rules are taken away: what is on the bridge in between keeps them. */
const ATTEMPTS = 3;

/**
 * Removes a bridge with its rules. netavark forgets a network's rules with its last container, so one is connected and
 * disconnected when there is none.
 */
export async function takeDownBridge(
  netavark: Netavark,
  namespaces: Namespaces,
  network: NetworkRecord,
  lock: string,
): Promise<void> {
  const subnets = network.subnets.map(({ subnet }) => subnet);
  for (let i = 0; i < ATTEMPTS && (i === 0 && hasBridge(network.interface) || await hasAnyRule(network)); i++) {
    // Named after the bridge: it takes the place of the one that a server left when it was killed here.
    const id = `gantry-${network.interface}`;
    const netns = await namespaces.createNamespace(id);
    await portsGone(network.interface);
    const attachment = { aliases: [], staticIPs: subnets.map(lastAddress), interfaceName: "eth0" };
    const last: NetworkSetup = {
      containerID: id,
      containerName: id,
      netns,
      ports: [],
      attachments: [{ network: { ...network, dns: false }, attachment }],
    };
    try {
      await netavarkSetup(netavark, last, lock);
      await netavarkTeardown(netavark, last, lock);
    } finally {
      await namespaces.deleteNamespace(id);
      // A bridge that its user has put something else on is not ours to delete.
      if ((await bridgePorts(network.interface)).length === 0) await deleteBridge(network.interface);
    }
  }
  if (network.dns) await forgetNames(netavark, network);
  // An ordinary user's ports are not in the firewall.
  if (!network.internal && bridgeNamespace() === undefined) {
    await removeBridge({ interface: network.interface, subnets });
    await forbidPublished(subnets);
  }
}

/** The last address of a subnet that a host may have. */
function lastAddress(subnet: string): string {
  const parsed = parseSubnet(subnet);
  return addressAt(parsed, parsed.size > 2n ? -2 : -1);
}
