import type { NetworkRecord } from "../records/network_record.ts";
import type { NetworkStatus } from "../records/network_status.ts";
import type { PublishedPorts } from "./network_port.ts";

/**
 * The addresses that a container's published ports lead to: of each version of IP the first one on a bridge that has a way out.
 *
 * @param networks The container's networks, in the order of its interfaces
 */
export function publishedAt(
  networks: readonly NetworkRecord[],
  interfaces: NetworkStatus["interfaces"],
): Pick<PublishedPorts, "addresses" | "networks"> {
  const found = networks.filter(({ driver, internal }) => driver === "bridge" && !internal).flatMap((network) =>
    (interfaces[network.name]?.addresses ?? []).map(({ address }) => ({ network, address }))
  );
  const firsts = [false, true].flatMap((isIPv6) => found.find(({ address }) => address.includes(":") === isIPv6) ?? []);
  return {
    addresses: firsts.map(({ address }) => address),
    networks: [...new Set(firsts.map(({ network }) => network))],
  };
}
