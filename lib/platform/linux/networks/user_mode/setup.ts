import { EngineError } from "../../../../engine/errors.ts";
import type { NetworkSetup } from "../../../../engine/ports/network_port.ts";
import { portInUse } from "../../../../engine/ports/published_ports.ts";
import type { NetworkStatus } from "../../../../engine/records/network_status.ts";
import type { UserNetwork } from "../../../../engine/records/user_network.ts";

/** A container's setup by a program. */
export type UserNetworkSetup = NetworkSetup & { readonly userNetwork: UserNetwork };

/** A program that carries a network now, and the network as the container sees it. */
export interface Carrier {
  pid: number;
  status: NetworkStatus;
}

/** The error for a program that did not connect a network. */
export function refusedNetwork({ userNetwork: { program }, ports }: UserNetworkSetup, reason: string): EngineError {
  if (/in use/i.test(reason) && ports.length > 0) return portInUse(ports[0]!, ports[0]!.hostPort, reason);
  const isPrivileged = /permission denied/i.test(reason) && ports.some(({ hostPort }) => hostPort < 1024);
  const hint = isPrivileged ? ": a port below net.ipv4.ip_unprivileged_port_start is root's alone" : "";
  return new EngineError("invalid", `Set up network "${program}": ${reason || "it ended without a word"}${hint}`);
}

/** Throws `unsupported` for ports whose protocol the programs do not know. */
export function requireKnownProtocols({ userNetwork: { program }, ports }: UserNetworkSetup): void {
  if (ports.some(({ protocol }) => protocol === "sctp")) {
    throw new EngineError("unsupported", `Publish ports: ${program} does not carry SCTP`);
  }
}
