/**
 * Holding published ports on the host. Traffic to them is redirected before it reaches a socket, so that nothing would keep
 * a program of the host from listening there later, and hearing nothing. As with Podman conmon holds them, bound, for as
 * long as the container lives. Neither Deno nor Node hands a bound socket to a program: a process of the nursery binds them
 * and becomes conmon.
 */
import { isIPv6 } from "node:net";
import type { PortMapping } from "../../../../engine/records/container_record.ts";
import { portInUse } from "../../../../engine/ports/published_ports.ts";

/** The beginning of a supervisor's error about a port in use; the port's index among the requested ones follows. */
const TAKEN = "port taken: ";

/** Each takes an open file, of which a program may have 1024 by default; of a longer list the first ones are held. */
const LIMIT = 900;

/** One port of the host. */
interface Held {
  mapping: PortMapping;
  port: number;
}

/** The ports of the host that a supervisor is to hold. */
export class PortHolder {
  readonly #ports: Held[];

  constructor(mappings: readonly PortMapping[]) {
    // Perl's core has no SCTP.
    const held = mappings.filter(({ protocol }) => protocol !== "sctp");
    this.#ports = held.flatMap((mapping) =>
      Array.from({ length: mapping.range }, (_, index) => ({ mapping, port: mapping.hostPort + index }))
    ).slice(0, LIMIT);
  }

  /** Protocol, address and port of each, as the nursery takes them. */
  get fields(): string[] {
    return this.#ports.flatMap(({ mapping, port }) => [mapping.protocol, packAddress(mapping.hostIP), String(port)]);
  }

  /** Throws `port_in_use` when that is what the supervisor's standard error tells. */
  check(errors: string): void {
    const taken = errors.startsWith(TAKEN) ? this.#ports[Number.parseInt(errors.slice(TAKEN.length))] : undefined;
    if (taken !== undefined) throw portInUse(taken.mapping, taken.port);
  }
}

/** An address in hexadecimal digits. An empty one is every IPv4 address, as in Podman. */
export function packAddress(address: string): string {
  const hex = (numbers: string[], radix: number, width: number) =>
    numbers.map((text) => Number.parseInt(text, radix).toString(16).padStart(width, "0")).join("");
  if (!isIPv6(address)) return hex((address || "0.0.0.0").split("."), 10, 2);
  // The URL parser writes every address in its one short form, IPv4 at the end included.
  const [head = "", tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split("::");
  const parts = (text: string | undefined) => text ? text.split(":") : [];
  const zeros = Array<string>(8 - parts(head).length - parts(tail).length).fill("0");
  return hex([...parts(head), ...zeros, ...parts(tail)], 16, 4);
}
