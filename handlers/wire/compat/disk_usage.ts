/**
 * Disk usage, as Docker has it: lists from before version 1.52, and totals with lists since then.
 *
 * @module
 */
import { looseFlag } from "../query.ts";
import { DockerVolume } from "../volumes/volume.ts";
import { ImageSummary } from "../images/image.ts";
import { z } from "../zod.ts";
import { ContainerSummary } from "./container.ts";

/** `dockerVolume.Volume` with its `UsageData`. */
export const MeasuredVolume = DockerVolume.extend({
  UsageData: z.object({ RefCount: z.number(), Size: z.number() }),
});

/** `build.CacheRecord`: a step of an earlier build; times are RFC 3339, sizes bytes. */
export const CacheRecord = z.object({
  ID: z.string(),
  Parents: z.array(z.string()).optional(),
  Type: z.string(),
  Description: z.string(),
  InUse: z.boolean(),
  Shared: z.boolean(),
  Size: z.number(),
  CreatedAt: z.string(),
  LastUsedAt: z.string(),
  UsageCount: z.number(),
});
export type CacheRecord = z.output<typeof CacheRecord>;

/** The totals of a family, and its members. */
function usageOf<T extends z.ZodType>(item: T) {
  const count = z.number().optional();
  return z.object({
    ActiveCount: count,
    Items: z.array(item).optional(),
    Reclaimable: count,
    TotalCount: count,
    TotalSize: count,
  }).optional();
}

/** `handlers.LegacyDiskUsage` and `handlers.DiskUsage` in one: a client of the newest version may read either. */
export const DockerDiskUsage = z.object({
  LayersSize: z.number().optional(),
  Images: z.array(ImageSummary).optional(),
  Containers: z.array(ContainerSummary).optional(),
  Volumes: z.array(MeasuredVolume).optional(),
  BuildCache: z.array(CacheRecord).optional(),
  ImageUsage: usageOf(ImageSummary),
  ContainerUsage: usageOf(ContainerSummary),
  VolumeUsage: usageOf(MeasuredVolume),
  BuildCacheUsage: usageOf(CacheRecord),
});
export type DockerDiskUsage = z.output<typeof DockerDiskUsage>;

/** The query of `CompatGetDiskUsage`. */
export const DiskUsageQuery = z.object({
  /** `container`, `image`, `volume` and `build-cache`; all of them by default. */
  type: z.array(z.string()).optional(),
  verbose: looseFlag.optional(),
});
export type DiskUsageQuery = z.output<typeof DiskUsageQuery>;
