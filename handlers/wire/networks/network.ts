/**
 * Networks, in the native tree.
 *
 * @module
 */
import { flag } from "../query.ts";
import { time } from "../time.ts";
import { z } from "../zod.ts";

const texts = z.record(z.string(), z.string());

/** `nettypes.LeaseRange`. */
export const LeaseRange = z.object({ start_ip: z.string().optional(), end_ip: z.string().optional() });

/** `nettypes.Subnet`. */
export const Subnet = z.object({
  subnet: z.string(),
  gateway: z.string().optional(),
  lease_range: LeaseRange.nullish(),
});

/** `nettypes.Route`. */
export const Route = z.object({
  destination: z.string(),
  gateway: z.string().optional(),
  metric: z.int().nullish(),
  route_type: z.string().optional(),
});

/** `nettypes.Network`. */
export const Network = z.object({
  name: z.string(),
  id: z.string(),
  driver: z.string(),
  network_interface: z.string().optional(),
  created: time,
  subnets: z.array(Subnet).optional(),
  routes: z.array(Route).optional(),
  ipv6_enabled: z.boolean(),
  internal: z.boolean(),
  dns_enabled: z.boolean(),
  network_dns_servers: z.array(z.string()).optional(),
  labels: texts.optional(),
  options: texts.optional(),
  ipam_options: texts.optional(),
});
export type Network = z.output<typeof Network>;

/** `nettypes.NetAddress`. */
export const NetAddress = z.object({ ipnet: z.string(), gateway: z.string().optional() });

/** `nettypes.NetInterface`. */
export const NetInterface = z.object({ subnets: z.array(NetAddress).optional(), mac_address: z.string() });

/** `entitiesTypes.NetworkContainerInfo`. */
export const NetworkContainerInfo = z.object({
  name: z.string(),
  interfaces: z.record(z.string(), NetInterface).optional(),
});

/** `entitiesTypes.NetworkInspectReport`. */
export const NetworkInspectReport = Network.extend({ containers: z.record(z.string(), NetworkContainerInfo) });
export type NetworkInspectReport = z.output<typeof NetworkInspectReport>;

/** `entitiesTypes.NetworkRmReport`. */
export const NetworkRmReport = z.object({ Name: z.string(), Err: z.string().nullable() });

/** `entitiesTypes.NetworkPruneReport`. */
export const NetworkPruneReport = z.object({ Name: z.string(), Error: z.string().nullable() });
export type NetworkPruneReport = z.output<typeof NetworkPruneReport>;

/** `entities.NetworkUpdateOptions`. */
export const NetworkUpdateOptions = z.object({
  adddnsservers: z.array(z.string()).nullable(),
  removednsservers: z.array(z.string()).nullable(),
});

/** `entitiesTypes.NetworkConnectOptions`. */
export const NetworkConnectOptions = z.object({
  container: z.string(),
  static_ips: z.array(z.string()).optional(),
  aliases: z.array(z.string()).optional(),
  static_mac: z.string(),
  interface_name: z.string(),
  options: texts.optional(),
});

/** The query of `CreateNetwork`. */
export const CreateNetworkQuery = z.object({ ignoreIfExists: flag.optional() });

/** The query of `RemoveNetwork`; `timeout` is that of `podman network rm --time`. */
export const RemoveNetworkQuery = z.object({ force: flag.optional(), timeout: z.int().min(0).optional() });

/** The query of what goes by filters, which are read by the operations: they have an error of their own for them. */
export const NetworkFiltersQuery = z.object({ filters: z.string().optional() });
