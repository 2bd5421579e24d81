/**
 * A container's networks, as Docker has them.
 *
 * @module
 */
import { z } from "../zod.ts";

/** `dockerNetwork.PortBinding`. */
export const PortBinding = z.object({
  HostIp: z.string(),
  HostPort: z.string(),
});
export type PortBinding = z.output<typeof PortBinding>;

/** `dockerNetwork.EndpointIPAMConfig`. */
export const EndpointIPAMConfig = z.object({
  IPv4Address: z.string().optional(),
  IPv6Address: z.string().optional(),
  LinkLocalIPs: z.array(z.string()).optional(),
});
export type EndpointIPAMConfig = z.output<typeof EndpointIPAMConfig>;

/** `dockerNetwork.EndpointSettings`. */
export const EndpointSettings = z.object({
  IPAMConfig: EndpointIPAMConfig.nullable(),
  Links: z.array(z.string()).nullable(),
  Aliases: z.array(z.string()).nullable(),
  DriverOpts: z.record(z.string(), z.string()).nullable(),
  GwPriority: z.int(),
  NetworkID: z.string(),
  EndpointID: z.string(),
  Gateway: z.string(),
  IPAddress: z.string(),
  MacAddress: z.string(),
  IPPrefixLen: z.int(),
  IPv6Gateway: z.string(),
  GlobalIPv6Address: z.string(),
  GlobalIPv6PrefixLen: z.int(),
  DNSNames: z.array(z.string()).nullable(),
});
export type EndpointSettings = z.output<typeof EndpointSettings>;

/** `dockerNetwork.NetworkingConfig`. */
export const NetworkingConfig = z.object({
  EndpointsConfig: z.record(z.string(), EndpointSettings).nullable(),
});
export type NetworkingConfig = z.output<typeof NetworkingConfig>;

/** `handlers.LegacyAddress`. */
export const NetworkAddress = z.object({
  Addr: z.string(),
  PrefixLen: z.int(),
});
export type NetworkAddress = z.output<typeof NetworkAddress>;

/** `handlers.LegacyNetworkSettings`. */
export const NetworkSettings = z.object({
  SandboxID: z.string(),
  SandboxKey: z.string(),
  Ports: z.record(z.string(), z.array(PortBinding).nullable()).nullable(),
  Networks: z.record(z.string(), EndpointSettings).nullable(),
  // The place in the default network and older fields, for clients of versions before 1.52 of Docker's API, empty ones too.
  Bridge: z.string().nullish(),
  HairpinMode: z.boolean().nullish(),
  LinkLocalIPv6Address: z.string().nullish(),
  LinkLocalIPv6PrefixLen: z.int().nullish(),
  EndpointID: z.string().nullish(),
  Gateway: z.string().nullish(),
  GlobalIPv6Address: z.string().nullish(),
  GlobalIPv6PrefixLen: z.int().nullish(),
  IPAddress: z.string().nullish(),
  IPPrefixLen: z.int().nullish(),
  IPv6Gateway: z.string().nullish(),
  MacAddress: z.string().nullish(),
  SecondaryIPAddresses: z.array(NetworkAddress).optional(),
  SecondaryIPv6Addresses: z.array(NetworkAddress).optional(),
});
export type NetworkSettings = z.output<typeof NetworkSettings>;

/** `dockerContainer.NetworkSettingsSummary`. */
export const NetworkSettingsSummary = z.object({
  Networks: z.record(z.string(), EndpointSettings).nullable(),
});
export type NetworkSettingsSummary = z.output<typeof NetworkSettingsSummary>;
