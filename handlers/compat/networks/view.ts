import type { Engine } from "../../../lib/engine/engine.ts";
import { DEFAULT_NETWORK } from "../../../lib/engine/networks/networks.ts";
import type { ContainerRecord } from "../../../lib/engine/records/container_record.ts";
import type { NetworkRecord, NetworkSubnet } from "../../../lib/engine/records/network_record.ts";
import { formatAddress, parseAddress, parseSubnet } from "../../../lib/engine/text/ip.ts";
import { type EndpointResource, NetworkInspect, NetworkSummary } from "../../wire/compat/network_resource.ts";
import { emit, type Sparse } from "../../wire/emit.ts";
import { endpointID } from "./endpoint_id.ts";
import { dockerNetworkName } from "./names.ts";

/** A network as Docker's clients list it: the default one by their name. */
export function networkSummary(record: NetworkRecord): NetworkSummary {
  return emit(NetworkSummary, networkFields(record, dockerNetworkName(record.name)));
}

/**
 * A network as Docker's clients inspect it.
 *
 * @param engine The engine
 * @param record The network
 * @param name The name it was asked for by
 * @param hasStatus Whether the client knows how many addresses are in use, as from version 1.52 on
 */
export function networkInspection(
  { containers, networks }: Engine,
  record: NetworkRecord,
  name: string,
  hasStatus: boolean,
): NetworkInspect {
  const users = containers.networks.usersOf(record.name);
  const endpoints = users.flatMap((user) => {
    const endpoint = endpointOf(user, record);
    return endpoint ? [[user.id, endpoint]] : [];
  });
  const subnets = networks.usage(record).map(({ subnet, used }, i) => [subnet, {
    IPsInUse: used,
    DynamicIPsAvailable: Math.max(0, rangeSize(record.subnets[i]) - used),
  }]);
  return emit(NetworkInspect, {
    ...networkFields(record, name === DEFAULT_NETWORK ? name : dockerNetworkName(record.name)),
    Containers: Object.fromEntries(endpoints),
    Status: hasStatus ? { IPAM: { Subnets: Object.fromEntries(subnets) } } : undefined,
  });
}

function networkFields(record: NetworkRecord, name: string): Sparse<NetworkSummary> {
  // Networks of this tree are apart from each other anyway.
  const { isolate: _, ...options } = record.options;
  const versions = record.subnets.map(({ subnet }) => parseSubnet(subnet).version);
  return {
    Name: name,
    Id: record.id,
    Created: record.created,
    Scope: "local",
    Driver: record.driver,
    EnableIPv4: versions.length === 0 || versions.includes(4),
    EnableIPv6: record.ipv6,
    IPAM: {
      Driver: (record.addressSource ?? "host-local") === "host-local" ? "default" : record.addressSource,
      Options: {},
      Config: record.subnets.map((subnet) => ({
        Subnet: subnet.subnet,
        IPRange: rangeOf(subnet),
        Gateway: subnet.gateway,
        AuxiliaryAddresses: subnet.auxiliary,
      })),
    },
    Internal: record.internal,
    Attachable: record.docker?.attachable ?? false,
    Options: record.docker?.options ?? { ...record.name === DEFAULT_NETWORK && defaultOptions(record), ...options },
    Labels: record.labels,
  };
}

/** The options that Docker tells of its default network, some of which scripts read. */
function defaultOptions({ interface: name, options }: NetworkRecord): Record<string, string> {
  return {
    "com.docker.network.bridge.default_bridge": "true",
    "com.docker.network.bridge.enable_icc": "true",
    "com.docker.network.bridge.enable_ip_masquerade": "true",
    "com.docker.network.bridge.host_binding_ipv4": "0.0.0.0",
    "com.docker.network.bridge.name": name,
    "com.docker.network.driver.mtu": options.mtu ?? "1500",
  };
}

function endpointOf(user: ContainerRecord, network: NetworkRecord): Sparse<EndpointResource> | undefined {
  const link = user.state.network?.interfaces[network.name];
  if (link === undefined) return undefined;
  const find = (isIPv6: boolean) => {
    const found = link.addresses.find(({ address }) => address.includes(":") === isIPv6);
    return found && `${found.address}/${found.prefix}`;
  };
  return {
    Name: user.name,
    EndpointID: endpointID(user, network.name, network.id),
    MacAddress: link.mac,
    IPv4Address: find(false),
    IPv6Address: find(true),
  };
}

/** A lease range in CIDR notation, where it is a block that has one. */
function rangeOf({ leaseRange }: NetworkSubnet): string | undefined {
  if (leaseRange?.start === undefined || leaseRange.end === undefined) return undefined;
  const { value: first, version } = parseAddress(leaseRange.start);
  const size = parseAddress(leaseRange.end).value - first + 1n;
  const bits = size.toString(2).length - 1;
  if (size !== 1n << BigInt(bits) || first % size !== 0n) return undefined;
  return `${formatAddress({ version, value: first })}/${(version === 4 ? 32 : 128) - bits}`;
}

/** How many addresses containers can be given, as far as a number of JSON tells. */
function rangeSize({ subnet, gateway, leaseRange, auxiliary = {} }: NetworkSubnet): number {
  const { first, size, version } = parseSubnet(subnet);
  const start = leaseRange?.start === undefined ? first : parseAddress(leaseRange.start).value;
  const end = leaseRange?.end === undefined ? first + size - 1n : parseAddress(leaseRange.end).value;
  const reserved = [
    first,
    ...version === 4 ? [first + size - 1n] : [],
    ...[...gateway ? [gateway] : [], ...Object.values(auxiliary)].map((address) => parseAddress(address).value),
  ];
  const lost = [...new Set(reserved)].filter((value) => value >= start && value <= end).length;
  return Math.min(Number(end - start + 1n) - lost, Number.MAX_SAFE_INTEGER);
}
