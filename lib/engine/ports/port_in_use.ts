import type { PortMapping } from "../records/container_record.ts";
import { EngineError } from "../errors.ts";

const IN_USE = "address already in use";

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
