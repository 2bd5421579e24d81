/**
 * The schemas that images and containers share, as Docker has them.
 *
 * @module
 */
import { z } from "../zod.ts";

/** `ocispec.Platform`. */
export const Platform = z.object({
  architecture: z.string(),
  os: z.string(),
  "os.version": z.string().optional(),
  "os.features": z.array(z.string()).optional(),
  variant: z.string().optional(),
});
export type Platform = z.output<typeof Platform>;

/** `ocispec.Descriptor`. */
export const Descriptor = z.object({
  mediaType: z.string(),
  digest: z.string(),
  size: z.number(),
  urls: z.array(z.string()).optional(),
  annotations: z.record(z.string(), z.string()).optional(),
  data: z.string().optional(),
  platform: Platform.nullish(),
  artifactType: z.string().optional(),
});
export type Descriptor = z.output<typeof Descriptor>;

/** `dockerStorage.DriverData`. */
export const StorageDriverData = z.object({
  Data: z.record(z.string(), z.string()).nullable(),
  Name: z.string(),
});
export type StorageDriverData = z.output<typeof StorageDriverData>;
