import type { ContainerRecord } from "../../lib/engine/records/container_record.ts";
import { messageOf } from "../../lib/oci/message_of.ts";
import type { PruneNetworkReport } from "../../lib/engine/containers/networks/container_networks.ts";
import type { NetworkRecord, NetworkRoute, NetworkSubnet } from "../../lib/engine/records/network_record.ts";
import { emit, type Sparse } from "../wire/emit.ts";
import { Network, NetworkInspectReport, type NetworkPruneReport } from "../wire/networks/network.ts";

/** A network as it is listed. */
export function networkView(record: NetworkRecord): Network {
  return emit(Network, networkFields(record));
}

/** The outcome of a prune for one network. */
export function networkPruneReport({ name, error }: PruneNetworkReport): NetworkPruneReport {
  return { Name: name, Error: error === undefined ? null : messageOf(error) };
}

/** A network as it is inspected, with the containers that are connected to it now. */
export function inspectNetwork(record: NetworkRecord, users: readonly ContainerRecord[]): NetworkInspectReport {
  const entries = users.flatMap(({ id, name, state }) => {
    const link = state.network?.interfaces[record.name];
    if (link === undefined) return [];
    const subnets = link.addresses.map(({ address, prefix, gateway }) => ({ ipnet: `${address}/${prefix}`, gateway }));
    return [[id, { name, interfaces: { [link.name]: { subnets, mac_address: link.mac } } }]];
  });
  return emit(NetworkInspectReport, { ...networkFields(record), containers: Object.fromEntries(entries) });
}

function networkFields(record: NetworkRecord): Sparse<Network> {
  return {
    name: record.name,
    id: record.id,
    driver: record.driver,
    network_interface: record.interface,
    created: record.created,
    subnets: record.subnets.map(subnetView),
    routes: record.routes?.map(routeView),
    ipv6_enabled: record.ipv6,
    internal: record.internal,
    dns_enabled: record.dns,
    network_dns_servers: record.dnsServers,
    labels: record.labels,
    options: record.options,
    ipam_options: { driver: record.addressSource ?? "host-local" },
  };
}

function subnetView({ subnet, gateway, leaseRange }: NetworkSubnet) {
  return { subnet, gateway, lease_range: leaseRange && { start_ip: leaseRange.start, end_ip: leaseRange.end } };
}

function routeView({ destination, gateway, metric, type }: NetworkRoute) {
  return { destination, gateway, metric, route_type: type };
}
