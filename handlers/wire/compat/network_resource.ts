/**
 * Networks, in Docker's tree.
 *
 * @module
 */
import { looseFlag } from "../query.ts";
import { time } from "../time.ts";
import { z } from "../zod.ts";
import { EndpointSettings } from "./network.ts";

const texts = z.record(z.string(), z.string());

/** `dockerNetwork.IPAMConfig`. */
export const IPAMConfig = z.object({
  Subnet: z.string().optional(),
  IPRange: z.string().optional(),
  Gateway: z.string().optional(),
  AuxiliaryAddresses: texts.optional(),
});
export type IPAMConfig = z.output<typeof IPAMConfig>;

/** `dockerNetwork.IPAM`. */
export const IPAM = z.object({
  Driver: z.string(),
  Options: texts.nullable(),
  Config: z.array(IPAMConfig).nullable(),
});

/** `dockerNetwork.ConfigReference`. */
export const ConfigReference = z.object({ Network: z.string() });

/** `dockerNetwork.PeerInfo`. */
export const PeerInfo = z.object({ Name: z.string(), IP: z.string() });

/** `dockerNetwork.EndpointResource`. */
export const EndpointResource = z.object({
  Name: z.string(),
  EndpointID: z.string(),
  MacAddress: z.string(),
  IPv4Address: z.string(),
  IPv6Address: z.string(),
});
export type EndpointResource = z.output<typeof EndpointResource>;

/** `dockerNetwork.SubnetStatus`. */
export const SubnetStatus = z.object({ IPsInUse: z.number(), DynamicIPsAvailable: z.number() });

/** `dockerNetwork.Status`. */
export const NetworkUsage = z.object({
  IPAM: z.object({ Subnets: z.record(z.string(), SubnetStatus).optional() }),
});

/** `dockerNetwork.Summary`. */
export const NetworkSummary = z.object({
  Name: z.string(),
  Id: z.string(),
  Created: time,
  Scope: z.string(),
  Driver: z.string(),
  EnableIPv4: z.boolean(),
  EnableIPv6: z.boolean(),
  IPAM,
  Internal: z.boolean(),
  Attachable: z.boolean(),
  Ingress: z.boolean(),
  ConfigFrom: ConfigReference,
  ConfigOnly: z.boolean(),
  Options: texts.nullable(),
  Labels: texts.nullable(),
  Peers: z.array(PeerInfo).optional(),
});
export type NetworkSummary = z.output<typeof NetworkSummary>;

/** `dockerNetwork.Inspect`. */
export const NetworkInspect = NetworkSummary.extend({
  Containers: z.record(z.string(), EndpointResource),
  Status: NetworkUsage.nullish(),
});
export type NetworkInspect = z.output<typeof NetworkInspect>;

/** `dockerNetwork.CreateRequest`. */
export const NetworkCreateRequest = z.object({
  Name: z.string(),
  Driver: z.string(),
  Scope: z.string(),
  EnableIPv4: z.boolean().nullish(),
  EnableIPv6: z.boolean().nullish(),
  IPAM: IPAM.nullable(),
  Internal: z.boolean(),
  Attachable: z.boolean(),
  Ingress: z.boolean(),
  ConfigOnly: z.boolean(),
  ConfigFrom: ConfigReference.nullable(),
  Options: texts.nullable(),
  Labels: texts.nullable(),
});
export type NetworkCreateRequest = z.output<typeof NetworkCreateRequest>;

/** `dockerNetwork.CreateResponse`. */
export const NetworkCreateResponse = z.object({ Id: z.string(), Warning: z.string() });

/** `dockerNetwork.ConnectRequest`. */
export const NetworkConnectRequest = z.object({ Container: z.string(), EndpointConfig: EndpointSettings.nullish() });

/** `dockerNetwork.DisconnectRequest`. */
export const NetworkDisconnectRequest = z.object({ Container: z.string(), Force: z.boolean() });

/** `handlers.NetworkPruneReport`. */
export const NetworksPruneReport = z.object({ NetworksDeleted: z.array(z.string()).nullable() });

/** The query of `CompatInspectNetwork`. */
export const InspectNetworkQuery = z.object({ scope: z.string().optional(), verbose: looseFlag.optional() });

/** The query of `CompatRemoveNetwork`. */
export const CompatRemoveNetworkQuery = z.object({ force: looseFlag.optional(), timeout: z.int().min(0).optional() });
