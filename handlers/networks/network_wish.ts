import type { NetworkWish } from "../../lib/engine/networks/create_network.ts";
import type { NetworkAttachment } from "../../lib/engine/records/container_record.ts";
import { isRouteType, readSubnet } from "../../lib/engine/networks/network_subnets.ts";
import { messageOf } from "../../lib/oci/message_of.ts";
import type { PerNetworkOptions } from "../wire/containers/spec_generator_parts.ts";
import type { Network } from "../wire/networks/network.ts";
import { readMAC } from "../containers/spec/networks.ts";
import { RequestError } from "../request_error.ts";

/** The options that Docker's clients give a bridge, by the engine's names for them. */
const DOCKER_MTU = "com.docker.network.driver.mtu";
const DOCKER_BRIDGE = "com.docker.network.bridge.name";

/** Reads a request for a network. Throws `invalid` for what no request may say. */
export function networkWish(request: Network): NetworkWish {
  if (request.id !== "") {
    const sentinel = "invalid argument";
    throw new RequestError("invalid", `ID can not be set for network create: ${sentinel}`, { sentinel });
  }
  const { driver: addressSource = "", ...more } = request.ipam_options ?? {};
  const [unknown] = Object.keys(more);
  if (unknown !== undefined) throw new RequestError("invalid", `unsupported ipam option ${unknown}`);
  const { [DOCKER_MTU]: mtu, [DOCKER_BRIDGE]: bridge, ...options } = request.options ?? {};
  return {
    name: request.name || undefined,
    driver: request.driver || undefined,
    interface: bridge || request.network_interface || undefined,
    subnets: request.subnets?.map(({ subnet, gateway, lease_range: range }) => ({
      subnet: requireCIDR(subnet),
      ...gateway && { gateway },
      ...range && { leaseRange: { start: range.start_ip || undefined, end: range.end_ip || undefined } },
    })),
    routes: request.routes?.map(({ destination, gateway, metric, route_type: type = "" }) => {
      if (type !== "" && !isRouteType(type)) throw new RequestError("invalid", `unknown route type "${type}"`);
      return { destination, ...gateway && { gateway }, ...metric != null && { metric }, ...type !== "" && { type } };
    }),
    ipv6: request.ipv6_enabled,
    internal: request.internal,
    dns: request.dns_enabled,
    dnsServers: request.network_dns_servers,
    addressSource,
    labels: request.labels,
    options: { ...options, ...mtu !== undefined && { mtu } },
  };
}

/** Gives the text back; throws a 400 where it is no subnet, as Podman's reader of bodies does. */
export function requireCIDR(text: string): string {
  try {
    readSubnet(text);
  } catch (error) {
    throw new RequestError("malformed", messageOf(error), { cause: error });
  }
  return text;
}

/** Reads how a container is to be connected. */
export function attachmentWish(request: PerNetworkOptions): Partial<NetworkAttachment> {
  const [option] = Object.keys(request.options ?? {});
  if (option !== undefined) {
    throw new RequestError("unsupported", `Connect: network option "${option}" is not supported`);
  }
  return {
    aliases: request.aliases ?? [],
    staticIPs: request.static_ips ?? [],
    ...request.static_mac && { mac: readMAC(request.static_mac) },
    ...request.interface_name && { interfaceName: request.interface_name },
  };
}
