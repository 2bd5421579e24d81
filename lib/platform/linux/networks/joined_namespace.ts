import { EngineError } from "../../../engine/errors.ts";
import type { NetworkStatus } from "../../../engine/records/network_status.ts";
import { messageOf } from "../../../oci/message_of.ts";
import { runCommand } from "../helpers/command.ts";

/** The interfaces of a namespace, by their names. */
type Interfaces = NetworkStatus["interfaces"];

/** The parts of `ip -json address` that are read here. */
interface Link {
  ifname?: string;
  address?: string;
  flags?: string[];
  addr_info?: { local?: string; prefixlen?: number; scope?: string }[];
}

/** Milliseconds that `ip` has for its answer. */
const TIMEOUT = 5000;

/**
 * Reads the interfaces of a namespace that is no network's, with their addresses: not the loopback, nor addresses of a link alone. The
 * gateway is that of the default route. Throws `EngineError("internal")` for a path that is no namespace.
 */
export async function interfacesIn(path: string): Promise<Interfaces> {
  try {
    const [links, routes] = await Promise.all([askIP(path, "address"), askIP(path, "route", "show", "default")]);
    const gateway = (routes as { gateway?: string }[]).find((route) => route.gateway !== undefined)?.gateway;
    const others = (links as Link[]).filter(({ flags = [] }) => !flags.includes("LOOPBACK"));
    return Object.fromEntries(others.map((link) => [link.ifname ?? "", interfaceOf(link, gateway)]));
  } catch (error) {
    throw new EngineError("internal", `Read network namespace "${path}": ${messageOf(error)}`, { cause: error });
  }
}

async function askIP(path: string, ...question: string[]): Promise<unknown[]> {
  const { stdout } = await runCommand("nsenter", [`--net=${path}`, "ip", "-json", ...question], { timeout: TIMEOUT });
  return JSON.parse(stdout.trim() || "[]");
}

function interfaceOf(
  { ifname = "", address = "", addr_info = [] }: Link,
  gateway: string | undefined,
): Interfaces[string] {
  const global = addr_info.filter(({ scope }) => scope !== "link" && scope !== "host");
  return {
    name: ifname,
    mac: address,
    addresses: global.map(({ local = "", prefixlen = 0 }) => {
      const isOfGateway = gateway !== undefined && local.includes(":") === gateway.includes(":");
      return { address: local, prefix: prefixlen, ...isOfGateway && { gateway } };
    }),
  };
}
