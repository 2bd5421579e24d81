/**
 * Volumes, in both trees.
 *
 * @module
 */
import { looseFlag, optionalFlag, patience } from "../query.ts";
import { time } from "../time.ts";
import { z } from "../zod.ts";

const texts = z.record(z.string(), z.string()).nullable();
const id = z.number().int().min(0).max(0xffff_fffe);

/** `entitiesTypes.VolumeCreateOptions`. */
export const VolumeCreateOptions = z.object({
  Name: z.string(),
  Driver: z.string(),
  /** The name of `Labels` in older clients. */
  Label: texts,
  Labels: texts,
  Options: texts,
  IgnoreIfExists: z.boolean(),
  UID: id.nullish(),
  GID: id.nullish(),
});
export type VolumeCreateOptions = z.output<typeof VolumeCreateOptions>;

/** `entitiesTypes.VolumeConfigResponse`. */
export const VolumeConfigResponse = z.object({
  Name: z.string(),
  Driver: z.string(),
  Mountpoint: z.string(),
  CreatedAt: time,
  Status: z.record(z.string(), z.unknown()).optional(),
  Labels: z.record(z.string(), z.string()),
  Scope: z.string(),
  Options: z.record(z.string(), z.string()),
  UID: z.number().optional(),
  GID: z.number().optional(),
  Anonymous: z.boolean().optional(),
  MountCount: z.number(),
  NeedsCopyUp: z.boolean().optional(),
  NeedsChown: z.boolean().optional(),
  Timeout: z.number().optional(),
  StorageID: z.string().optional(),
  LockNumber: z.number(),
});
export type VolumeConfigResponse = z.output<typeof VolumeConfigResponse>;

/** The body of Docker's `VolumeCreate`: `mobyClient.VolumeCreateOptions`. */
export const CompatVolumeCreateOptions = z.object({
  Name: z.string(),
  Driver: z.string(),
  DriverOpts: texts,
  Labels: texts,
  /** For Swarm's volumes. */
  ClusterVolumeSpec: z.record(z.string(), z.unknown()).nullish(),
});

/** `dockerVolume.Volume`. */
export const DockerVolume = z.object({
  CreatedAt: z.string().optional(),
  Driver: z.string(),
  Labels: z.record(z.string(), z.string()),
  Mountpoint: z.string(),
  Name: z.string(),
  Options: texts,
  Scope: z.string(),
});
export type DockerVolume = z.output<typeof DockerVolume>;

/** `dockerVolume.ListResponse`. */
export const VolumeListResponse = z.object({ Volumes: z.array(DockerVolume), Warnings: z.array(z.string()) });

/** `handlers.VolumesPruneReport`. */
export const VolumesPruneReport = z.object({ VolumesDeleted: z.array(z.string()), SpaceReclaimed: z.number() });

/** The query of `ListVolumes`; the operation reads its filters, since it has an error of its own for them. */
export const ListVolumesQuery = z.object({ filters: z.string().optional() });

/** The query of `PruneVolumes`. */
export const PruneVolumesQuery = z.object({ dryrun: optionalFlag, filters: z.string().optional() });

/** The query of `RemoveVolume`. */
export const RemoveVolumeQuery = z.object({ force: optionalFlag, timeout: patience });

/** The query of `CompatRemoveVolume`. */
export const CompatRemoveVolumeQuery = z.object({ force: looseFlag.optional(), timeout: patience });
