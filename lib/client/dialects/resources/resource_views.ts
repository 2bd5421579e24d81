/**
 * The fields of answers about volumes, networks, secrets and events that the client reads.
 *
 * @module
 */
import { z } from "../../../../handlers/wire/zod.ts";

const texts = z.record(z.string(), z.string()).nullish();

/** A volume, as both trees show it. */
export const VolumeView = z.looseObject({
  Name: z.string(),
  Driver: z.string(),
  Mountpoint: z.string().nullish(),
  CreatedAt: z.string().nullish(),
  Labels: texts,
  Options: texts,
});
export type VolumeView = z.output<typeof VolumeView>;

/** The report on a volume that a prune of Podman's tree has removed. */
export const PrunedVolume = z.looseObject({ Id: z.string(), Err: z.unknown().optional() });

/** A network, as Podman's tree shows it. */
export const NativeNetworkView = z.looseObject({
  name: z.string(),
  id: z.string(),
  driver: z.string(),
  created: z.string().nullish(),
  subnets: z.array(z.looseObject({ subnet: z.string(), gateway: z.string().nullish() })).nullish(),
  ipv6_enabled: z.boolean().nullish(),
  internal: z.boolean().nullish(),
  labels: texts,
  options: texts,
  containers: z.record(z.string(), z.looseObject({ name: z.string() })).nullish(),
});

/** A network, as Docker's tree shows it. */
export const DockerNetworkView = z.looseObject({
  Name: z.string(),
  Id: z.string(),
  Driver: z.string(),
  Created: z.string().nullish(),
  IPAM: z.looseObject({
    Config: z.array(z.looseObject({ Subnet: z.string().nullish(), Gateway: z.string().nullish() })).nullish(),
  }).nullish(),
  EnableIPv6: z.boolean().nullish(),
  Internal: z.boolean().nullish(),
  Labels: texts,
  Options: texts,
  Containers: z.record(z.string(), z.looseObject({ Name: z.string() })).nullish(),
});

/** A secret, as both trees show it. */
export const SecretView = z.looseObject({
  ID: z.string(),
  CreatedAt: z.string().nullish(),
  Spec: z.looseObject({ Name: z.string(), Labels: texts }),
});
export type SecretView = z.output<typeof SecretView>;

/** The identifier of a secret that was made. */
export const MadeSecret = z.looseObject({ ID: z.string() });

/** An event, as both trees tell it. */
export const EventView = z.looseObject({
  Type: z.string(),
  Action: z.string(),
  Actor: z.looseObject({ ID: z.string(), Attributes: texts }),
  time: z.number().nullish(),
  timeNano: z.union([z.number(), z.bigint()]).nullish(),
});
export type EventView = z.output<typeof EventView>;
