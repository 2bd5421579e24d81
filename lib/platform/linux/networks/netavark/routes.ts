/**
 * The addresses and routes of a network in its containers, as far as netavark does not make them.
 *
 * @module
 */
import type { NetworkSetup } from "../../../../engine/ports/network_port.ts";
import type { NetworkAttachment } from "../../../../engine/records/container_record.ts";
import type { NetworkRecord } from "../../../../engine/records/network_record.ts";
import { linkLocalPrefix } from "../../../../engine/text/ip.ts";
import { runCommand } from "../../helpers/command.ts";
import { METRIC } from "../links/connect_links.ts";

/**
 * Adds the link-local addresses that a container asked for, makes the routes of its networks, and takes default routes away where a
 * network is not to have one.
 */
export async function applyRoutes(netns: string, attachments: NetworkSetup["attachments"]): Promise<void> {
  const lines = attachments.flatMap(({ network, attachment }) => [
    ...addressLines(attachment),
    ...routeLines(network, attachment.interfaceName),
  ]);
  if (lines.length === 0) return;
  await runCommand("nsenter", [`--net=${netns}`, "ip", "-batch", "-"], { stdin: `${lines.join("\n")}\n` });
}

/** An interface may have the address already: the kernel gives it one of fe80::/64. */
function addressLines({ linkLocalIPs = [], interfaceName }: NetworkAttachment): string[] {
  return linkLocalIPs.map((address) =>
    `address replace ${address}/${linkLocalPrefix(address) ?? ""} dev ${interfaceName}`
  );
}

function routeLines({ routes = [], options, subnets, internal }: NetworkRecord, device: string): string[] {
  const added = routes.map(({ destination, gateway, metric = METRIC, type = "unicast" }) => {
    const target = gateway === undefined ? "" : ` via ${gateway} dev ${device}`;
    return `route replace ${type} ${destination}${target} metric ${metric}`;
  });
  if (options.no_default_route !== "true" || internal) return added;
  const versions = new Set(subnets.flatMap(({ gateway }) => gateway === undefined ? [] : [gateway.includes(":")]));
  // `flush` of nothing is no error; `delete` would be.
  const flushed = [...versions].map((isIPv6) => `${isIPv6 ? "-6 " : ""}route flush exact default dev ${device}`);
  return [...flushed, ...added];
}
