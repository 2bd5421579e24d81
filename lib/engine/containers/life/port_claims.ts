import type { PortMapping } from "../../records/container_record.ts";
import { portInUse } from "../../ports/published_ports.ts";
import { isAnyAddress } from "../../text/ip.ts";

interface Claim {
  readonly owner: string;
  readonly mapping: PortMapping;
}

/** Host ports of containers that have a network right now: no two may publish the same one. */
export class PortClaims {
  #claims: Claim[] = [];

  /** Claims all of a container's ports or none. Throws `port_in_use` with the words of a failed bind. */
  claim(owner: string, mappings: readonly PortMapping[]): void {
    for (const mapping of mappings) {
      const clash = this.#claims.find((claim) => claim.owner !== owner && portsOverlap(claim.mapping, mapping));
      if (clash) throw portInUse(mapping, Math.max(mapping.hostPort, clash.mapping.hostPort));
    }
    this.release(owner);
    this.#claims.push(...mappings.map((mapping) => ({ owner, mapping })));
  }

  release(owner: string): void {
    this.#claims = this.#claims.filter((claim) => claim.owner !== owner);
  }

  /** Whether nothing here has any of the mapping's ports. */
  isFree(mapping: PortMapping): boolean {
    return !this.#claims.some((claim) => portsOverlap(claim.mapping, mapping));
  }
}

/** Whether two mappings want the same port of the same address. */
export function portsOverlap(a: PortMapping, b: PortMapping): boolean {
  if (a.protocol !== b.protocol) return false;
  const sameAddress = isAnyAddress(a.hostIP) || isAnyAddress(b.hostIP) || a.hostIP === b.hostIP;
  return sameAddress && a.hostPort < b.hostPort + b.range && b.hostPort < a.hostPort + a.range;
}
