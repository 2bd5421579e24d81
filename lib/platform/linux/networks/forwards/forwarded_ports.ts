/**
 * Published ports to which no rule of the firewall leads: those of an ordinary user's containers, and IPv6 of root's, which may
 * lead to an address of IPv4, and from the machine's loopback. A program listens on them, and hands on what comes.
 * A container sees the bridge's gateway as its clients' address.
 *
 * @module
 */
import { readFileSync } from "node:fs";
import { isIPv6 } from "node:net";
import { EngineError } from "../../../../engine/errors.ts";
import type { PortMapping } from "../../../../engine/records/container_record.ts";
import type { PublishedPorts } from "../../../../engine/ports/network_port.ts";
import { packAddress } from "../../processes/nursery/port_holder.ts";

/** A port of the host, and the container's that it leads to. */
export interface ForwardedPort {
  mapping: PortMapping;
  hostPort: number;
  /** The container's address. */
  target: string;
  containerPort: number;
}

/**
 * Returns the ports that are handed on. Throws `EngineError("unsupported")` for an ordinary user's SCTP.
 *
 * @param isUsers Whether they are an ordinary user's; of root's only those of IPv6 are
 */
export function forwardedPorts(options: PublishedPorts, isUsers: boolean): ForwardedPort[] {
  const mappings = options.ports.flatMap(separateFamilies).filter(({ hostIP, protocol }) => {
    return isUsers || (isIPv6(hostIP) && protocol !== "sctp");
  });
  return mappings.flatMap((mapping) => mappingPorts(mapping, options.addresses));
}

/** Writes ports as `ports.pl` takes them; none is an empty text. */
export function portsText(ports: readonly ForwardedPort[]): string {
  return ports.map(({ mapping, hostPort, target, containerPort }) =>
    [mapping.protocol, packAddress(mapping.hostIP), hostPort, packAddress(target), containerPort].join(" ")
  ).join(" ");
}

/** A mapping for both versions of IP as two. */
export function separateFamilies({ bothFamilies, ...mapping }: PortMapping): PortMapping[] {
  return bothFamilies && hasIPv6() ? [mapping, { ...mapping, hostIP: "::" }] : [mapping];
}

/** Whether this machine has IPv6. */
export function hasIPv6(): boolean {
  try {
    // The file is empty where IPv6 is disabled, and not there where the kernel has none.
    return readFileSync("/proc/net/if_inet6", "latin1") !== "";
  } catch {
    return false;
  }
}

/** Each port of a mapping with the container's address that it leads to: IPv4 to IPv4, and IPv6 to IPv6 where it has that. */
function mappingPorts(mapping: PortMapping, addresses: readonly string[]): ForwardedPort[] {
  if (mapping.protocol === "sctp") {
    throw new EngineError("unsupported", "Publish ports: an ordinary user cannot publish SCTP");
  }
  const own = addresses.find((address) => isIPv6(address) === isIPv6(mapping.hostIP));
  const target = own ?? (isIPv6(mapping.hostIP) ? addresses[0] : undefined);
  if (target === undefined) return [];
  return Array.from({ length: mapping.range }, (_, index) => ({
    mapping,
    target,
    hostPort: mapping.hostPort + index,
    containerPort: mapping.containerPort + index,
  }));
}
