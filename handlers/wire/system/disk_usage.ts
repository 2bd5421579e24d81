/**
 * Disk usage, in the native tree.
 *
 * @module
 */
import { time } from "../time.ts";
import { z } from "../zod.ts";

/** `entitiesTypes.SystemDfImageReport`: one for each name of an image. */
export const SystemDfImageReport = z.object({
  Repository: z.string(),
  Tag: z.string(),
  ImageID: z.string(),
  Created: time,
  Size: z.number(),
  SharedSize: z.number(),
  UniqueSize: z.number(),
  Containers: z.number(),
});
export type SystemDfImageReport = z.output<typeof SystemDfImageReport>;

/** `entitiesTypes.SystemDfContainerReport`. */
export const SystemDfContainerReport = z.object({
  ContainerID: z.string(),
  Image: z.string(),
  Command: z.array(z.string()).nullable(),
  LocalVolumes: z.number(),
  Size: z.number(),
  RWSize: z.number(),
  Created: time,
  Status: z.string(),
  Names: z.string(),
});

/** `entitiesTypes.SystemDfVolumeReport`. */
export const SystemDfVolumeReport = z.object({
  VolumeName: z.string(),
  Links: z.number(),
  Size: z.number(),
  ReclaimableSize: z.number(),
});

/** `entitiesTypes.SystemDfReport`. */
export const SystemDfReport = z.object({
  ImagesSize: z.number(),
  Images: z.array(SystemDfImageReport),
  Containers: z.array(SystemDfContainerReport),
  Volumes: z.array(SystemDfVolumeReport),
});
export type SystemDfReport = z.output<typeof SystemDfReport>;
