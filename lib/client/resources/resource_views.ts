/**
 * The fields of answers about volumes, networks and events that the client reads; see `../dialects/views.ts`.
 *
 * @module
 */
import { z } from "../../../handlers/wire/zod.ts";

const texts = z.record(z.string(), z.string()).nullish();

/** A volume of either tree. */
export const VolumeView = z.looseObject({
  Name: z.string(),
  Driver: z.string(),
  Mountpoint: z.string(),
  CreatedAt: z.string().nullish(),
  Labels: texts,
  Options: texts,
});
export type VolumeView = z.output<typeof VolumeView>;

/** A network, in the words of Podman's tree. */
export const NetworkView = z.looseObject({
  name: z.string(),
  id: z.string(),
  driver: z.string(),
  internal: z.boolean().nullish(),
  subnets: z.array(z.looseObject({ subnet: z.string(), gateway: z.string().nullish() })).nullish(),
  labels: texts,
});
export type NetworkView = z.output<typeof NetworkView>;

/** A network, in Docker's words. */
export const DockerNetworkView = z.looseObject({
  Name: z.string(),
  Id: z.string(),
  Driver: z.string(),
  Internal: z.boolean().nullish(),
  IPAM: z.looseObject({
    Config: z.array(z.looseObject({ Subnet: z.string().nullish(), Gateway: z.string().nullish() })).nullish(),
  }).nullish(),
  Labels: texts,
});
export type DockerNetworkView = z.output<typeof DockerNetworkView>;

/** An event of either tree. */
export const EventView = z.looseObject({
  Type: z.string(),
  Action: z.string(),
  Actor: z.looseObject({ ID: z.string().nullish(), Attributes: texts }).nullish(),
  /** Seconds; the nanoseconds say them more exactly, and pass what a number holds. */
  time: z.number().nullish(),
  timeNano: z.union([z.number(), z.bigint(), z.string()]).nullish(),
});
export type EventView = z.output<typeof EventView>;
