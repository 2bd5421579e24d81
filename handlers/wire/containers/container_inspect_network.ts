/**
 * The network part of a container's inspection.
 *
 * @module
 */
import { z } from "../zod.ts";
import { InspectHostPort } from "./container_inspect_host.ts";

/** `define.Address`. */
export const Address = z.object({
  Addr: z.string(),
  PrefixLength: z.number(),
});
export type Address = z.output<typeof Address>;

/** `define.InspectBasicNetworkConfig`: what every network of a container and its settings as a whole tell. */
export const InspectBasicNetworkConfig = z.object({
  EndpointID: z.string(),
  Gateway: z.string(),
  IPAddress: z.string(),
  IPPrefixLen: z.number(),
  SecondaryIPAddresses: z.array(Address).optional(),
  IPv6Gateway: z.string(),
  GlobalIPv6Address: z.string(),
  GlobalIPv6PrefixLen: z.number(),
  SecondaryIPv6Addresses: z.array(Address).optional(),
  MacAddress: z.string(),
  AdditionalMACAddresses: z.array(z.string()).optional(),
});

/** `define.InspectAdditionalNetwork`. */
export const InspectAdditionalNetwork = InspectBasicNetworkConfig.extend({
  NetworkID: z.string().optional(),
  DriverOpts: z.record(z.string(), z.string()).nullable(),
  IPAMConfig: z.record(z.string(), z.string()).nullable(),
  Links: z.array(z.string()).nullable(),
  Aliases: z.array(z.string()).optional(),
});
export type InspectAdditionalNetwork = z.output<typeof InspectAdditionalNetwork>;

/** `define.InspectNetworkSettings`. */
export const InspectNetworkSettings = InspectBasicNetworkConfig.extend({
  Bridge: z.string(),
  SandboxID: z.string(),
  HairpinMode: z.boolean(),
  LinkLocalIPv6Address: z.string(),
  LinkLocalIPv6PrefixLen: z.number(),
  Ports: z.record(z.string(), z.array(InspectHostPort).nullable()).nullable(),
  SandboxKey: z.string(),
  Networks: z.record(z.string(), InspectAdditionalNetwork).optional(),
});
export type InspectNetworkSettings = z.output<typeof InspectNetworkSettings>;
