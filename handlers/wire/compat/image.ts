/**
 * Images, as Docker has them.
 *
 * @module
 */
import { z } from "../zod.ts";
import { Config, HealthcheckConfig } from "./config.ts";
import { Descriptor, StorageDriverData } from "./descriptor.ts";
import { time } from "../time.ts";

/** `dockerImage.Metadata`. */
export const ImageMetadata = z.object({
  LastTagTime: time.optional(),
});
export type ImageMetadata = z.output<typeof ImageMetadata>;

/** `dockerImage.RootFS`. */
export const ImageRootFS = z.object({
  Type: z.string().optional(),
  Layers: z.array(z.string()).optional(),
});
export type ImageRootFS = z.output<typeof ImageRootFS>;

/** `dockerSpec.DockerOCIImageConfig`. */
export const DockerOCIImageConfig = z.object({
  User: z.string().optional(),
  ExposedPorts: z.record(z.string(), z.looseObject({})).optional(),
  Env: z.array(z.string()).optional(),
  Entrypoint: z.array(z.string()).optional(),
  Cmd: z.array(z.string()).optional(),
  Volumes: z.record(z.string(), z.looseObject({})).optional(),
  WorkingDir: z.string().optional(),
  Labels: z.record(z.string(), z.string()).optional(),
  StopSignal: z.string().optional(),
  ArgsEscaped: z.boolean().optional(),
  Healthcheck: HealthcheckConfig.nullish(),
  OnBuild: z.array(z.string()).optional(),
  Shell: z.array(z.string()).optional(),
});
export type DockerOCIImageConfig = z.output<typeof DockerOCIImageConfig>;

/** `handlers.ImageInspect`. */
export const ImageInspect = z.object({
  Id: z.string(),
  RepoTags: z.array(z.string()).nullable(),
  RepoDigests: z.array(z.string()).nullable(),
  Comment: z.string().optional(),
  Created: z.string().optional(),
  Config: DockerOCIImageConfig.nullable(),
  Architecture: z.string(),
  Variant: z.string().optional(),
  Os: z.string(),
  OsVersion: z.string().optional(),
  Size: z.number(),
  GraphDriver: StorageDriverData.nullish(),
  RootFS: ImageRootFS,
  Metadata: ImageMetadata,
  Descriptor: Descriptor.nullish(),
  Manifests: z.array(z.looseObject({})).optional(),
  Identity: z.looseObject({}).nullish(),
  Container: z.string().optional(),
  ContainerConfig: Config.nullish(),
  VirtualSize: z.number().optional(),
  Parent: z.string(),
  DockerVersion: z.string(),
  Author: z.string(),
});
export type ImageInspect = z.output<typeof ImageInspect>;

/** `jsonstream.Error`. */
export const StreamError = z.object({
  code: z.number().optional(),
  message: z.string().optional(),
});
export type StreamError = z.output<typeof StreamError>;

/** `jsonstream.Progress`. */
export const StreamProgress = z.object({
  current: z.number().optional(),
  total: z.number().optional(),
  start: z.number().optional(),
  hidecounts: z.boolean().optional(),
  units: z.string().optional(),
});
export type StreamProgress = z.output<typeof StreamProgress>;

/** `handlers.LegacyJSONMessage`. */
export const ProgressMessage = z.object({
  stream: z.string().optional(),
  status: z.string().optional(),
  progressDetail: StreamProgress.nullish(),
  id: z.string().optional(),
  errorDetail: StreamError.nullish(),
  aux: z.unknown().nullish(),
  error: z.string().optional(),
  progress: z.string().optional(),
});
export type ProgressMessage = z.output<typeof ProgressMessage>;

/** The outcome of a removal for one name or image. */
export const RemovedImage = z.object({ Deleted: z.string().optional(), Untagged: z.string().optional() });
export type RemovedImage = z.output<typeof RemovedImage>;

/** The report of a load. */
export const LoadedImages = z.object({ stream: z.string() });

/** The report of an import. */
export const ImportedImage = z.object({
  status: z.string(),
  progress: z.string(),
  progressDetail: z.record(z.string(), z.string()),
  id: z.string(),
});
export type ImportedImage = z.output<typeof ImportedImage>;

/** `handlers.ImagesPruneReport`. */
export const ImagesPruneReport = z.object({ ImagesDeleted: z.array(RemovedImage), SpaceReclaimed: z.number() });
