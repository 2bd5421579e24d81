import type { PortMapping } from "../records/container_record.ts";
import { EngineError } from "../errors.ts";
import type { NetworkRecord } from "../records/network_record.ts";
import type { NetworkStatus } from "../records/network_status.ts";
import type { PublishedPorts } from "./network_port.ts";

const IN_USE = "address already in use";

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

/** The error for a port that something else has. */
export function portInUse(mapping: PortMapping, port: number, cause?: unknown): EngineError {
  return new EngineError("port_in_use", cannotListen(mapping, port, IN_USE), { sentinel: IN_USE, cause });
}

/** Podman's words for a port that cannot be had: clients match on them. */
export function cannotListen({ hostIP, protocol }: PortMapping, port: number, why: string): string {
  const isIPv6 = hostIP.includes(":");
  const address = isIPv6 ? `[${hostIP}]` : hostIP;
  const network = `${protocol}${isIPv6 ? "6" : "4"}`;
  return `cannot listen on the ${protocol.toUpperCase()} port: listen ${network} ${address}:${port}: bind: ${why}`;
}
