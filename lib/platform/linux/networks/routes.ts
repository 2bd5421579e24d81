/**
 * The routes of a network in its containers, as far as netavark does not make them.
 *
 * @module
 */
import type { NetworkSetup } from "../../../engine/ports/network_port.ts";
import type { NetworkRecord } from "../../../engine/records/network_record.ts";
import { runCommand } from "../helpers/command.ts";
import { METRIC } from "./netavark.ts";

/** Makes the routes of a container's networks, and takes default routes away where a network is not to have one. */
export async function applyRoutes({ netns, attachments }: NetworkSetup): Promise<void> {
  const lines = attachments.flatMap(({ network, attachment }) => routeLines(network, attachment.interfaceName));
  if (lines.length === 0) return;
  await runCommand("nsenter", [`--net=${netns}`, "ip", "-batch", "-"], { stdin: `${lines.join("\n")}\n` });
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
