/**
 * Mounts, as Docker has them.
 *
 * @module
 */
import { z } from "../zod.ts";

/** `dockerMount.BindOptions`. */
export const BindOptions = z.object({
  Propagation: z.string().optional(),
  NonRecursive: z.boolean().optional(),
  CreateMountpoint: z.boolean().optional(),
  ReadOnlyNonRecursive: z.boolean().optional(),
  ReadOnlyForceRecursive: z.boolean().optional(),
});
export type BindOptions = z.output<typeof BindOptions>;

/** `dockerMount.ImageOptions`. */
export const ImageOptions = z.object({
  Subpath: z.string().optional(),
});
export type ImageOptions = z.output<typeof ImageOptions>;

/** `dockerMount.TmpfsOptions`. */
export const TmpfsOptions = z.object({
  SizeBytes: z.int().optional(),
  Mode: z.int().optional(),
  Options: z.array(z.array(z.string()).nullable()).optional(),
});
export type TmpfsOptions = z.output<typeof TmpfsOptions>;

/** `dockerMount.Driver`. */
export const MountDriver = z.object({
  Name: z.string().optional(),
  Options: z.record(z.string(), z.string()).optional(),
});
export type MountDriver = z.output<typeof MountDriver>;

/** `dockerMount.VolumeOptions`. */
export const VolumeOptions = z.object({
  NoCopy: z.boolean().optional(),
  Labels: z.record(z.string(), z.string()).optional(),
  Subpath: z.string().optional(),
  DriverConfig: MountDriver.nullish(),
});
export type VolumeOptions = z.output<typeof VolumeOptions>;

/** `dockerMount.Mount`. */
export const Mount = z.object({
  Type: z.string().optional(),
  Source: z.string().optional(),
  Target: z.string().optional(),
  ReadOnly: z.boolean().optional(),
  Consistency: z.string().optional(),
  BindOptions: BindOptions.nullish(),
  VolumeOptions: VolumeOptions.nullish(),
  ImageOptions: ImageOptions.nullish(),
  TmpfsOptions: TmpfsOptions.nullish(),
  ClusterOptions: z.looseObject({}).nullish(),
});
export type Mount = z.output<typeof Mount>;

/** `dockerContainer.MountPoint`. */
export const MountPoint = z.object({
  Type: z.string().optional(),
  Name: z.string().optional(),
  Source: z.string(),
  Destination: z.string(),
  Driver: z.string().optional(),
  Mode: z.string(),
  RW: z.boolean(),
  Propagation: z.string(),
});
export type MountPoint = z.output<typeof MountPoint>;
