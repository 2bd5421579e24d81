/**
 * Images.
 *
 * @module
 */
import { z } from "../zod.ts";
import { Schema2HealthConfig } from "../containers/health.ts";
import { time } from "../time.ts";

/** `libimage.DriverData`. */
export const ImageDriverData = z.object({
  Name: z.string(),
  Data: z.record(z.string(), z.string()).nullable(),
});
export type ImageDriverData = z.output<typeof ImageDriverData>;

/** `libimage.RootFS`. */
export const ImageRootFS = z.object({
  Type: z.string(),
  Layers: z.array(z.string()).nullable(),
});
export type ImageRootFS = z.output<typeof ImageRootFS>;

/** `ocispec.History`. */
export const ImageHistory = z.object({
  created: time.nullish(),
  created_by: z.string().optional(),
  author: z.string().optional(),
  comment: z.string().optional(),
  empty_layer: z.boolean().optional(),
});
export type ImageHistory = z.output<typeof ImageHistory>;

/** `ocispec.ImageConfig`. */
export const ImageConfig = z.object({
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
});
export type ImageConfig = z.output<typeof ImageConfig>;

/** `libimage.ImageData`. */
export const ImageData = z.object({
  Id: z.string(),
  Digest: z.string(),
  RepoTags: z.array(z.string()).nullable(),
  RepoDigests: z.array(z.string()).nullable(),
  Parent: z.string(),
  Comment: z.string(),
  Created: time.nullable(),
  Config: ImageConfig.nullable(),
  Version: z.string(),
  Author: z.string(),
  Architecture: z.string(),
  Os: z.string(),
  Size: z.number(),
  VirtualSize: z.number(),
  GraphDriver: ImageDriverData.nullable(),
  RootFS: ImageRootFS.nullable(),
  Labels: z.record(z.string(), z.string()).nullable(),
  Annotations: z.record(z.string(), z.string()).nullable(),
  ManifestType: z.string(),
  User: z.string(),
  History: z.array(ImageHistory).nullable(),
  NamesHistory: z.array(z.string()).nullable(),
  Healthcheck: Schema2HealthConfig.nullish(),
});
export type ImageData = z.output<typeof ImageData>;

/** `entitiesTypes.ImageSummary`. */
export const ImageSummary = z.object({
  Id: z.string(),
  ParentId: z.string(),
  RepoTags: z.array(z.string()).nullable(),
  RepoDigests: z.array(z.string()).nullable(),
  Created: z.number(),
  Size: z.number(),
  SharedSize: z.number(),
  VirtualSize: z.number().optional(),
  Labels: z.record(z.string(), z.string()).nullable(),
  Containers: z.number(),
  ReadOnly: z.boolean().optional(),
  Dangling: z.boolean().optional(),
  Arch: z.string().optional(),
  Digest: z.string().optional(),
  History: z.array(z.string()).optional(),
  IsManifestList: z.boolean().nullish(),
  Names: z.array(z.string()).optional(),
  Os: z.string().optional(),
});
export type ImageSummary = z.output<typeof ImageSummary>;

/** `entitiesTypes.ArtifactPullProgress`. */
export const PullProgressDetail = z.object({
  /** `pulling`, `success`, `skipped`. */
  status: z.string().optional(),
  current: z.number().optional(),
  total: z.number().optional(),
  progressComponentID: z.string().optional(),
});
export type PullProgressDetail = z.output<typeof PullProgressDetail>;

/** `entitiesTypes.ImagePullReport`. */
export const ImagePullReport = z.object({
  status: z.string().optional(),
  stream: z.string().optional(),
  error: z.string().optional(),
  images: z.array(z.string()).optional(),
  id: z.string().optional(),
  pullProgress: PullProgressDetail.nullish(),
});
export type ImagePullReport = z.output<typeof ImagePullReport>;

/** `handlers.LibpodImagesRemoveReport`. */
export const LibpodImagesRemoveReport = z.object({
  Deleted: z.array(z.string()).optional(),
  Untagged: z.array(z.string()).optional(),
  ExitCode: z.number(),
  Errors: z.array(z.string()).nullable(),
});
export type LibpodImagesRemoveReport = z.output<typeof LibpodImagesRemoveReport>;

/** `handlers.HistoryResponse`. */
export const HistoryResponse = z.object({
  Id: z.string(),
  Created: z.number(),
  CreatedBy: z.string(),
  Tags: z.array(z.string()).nullable(),
  Size: z.number(),
  Comment: z.string(),
});
export type HistoryResponse = z.output<typeof HistoryResponse>;

/** `entitiesTypes.ImagePushStream`. */
export const ImagePushStream = z.object({
  manifestdigest: z.string().optional(),
  stream: z.string().optional(),
  error: z.string().optional(),
});
export type ImagePushStream = z.output<typeof ImagePushStream>;

/** `handlers.LibpodImagesResolveReport`. */
export const LibpodImagesResolveReport = z.object({ Names: z.array(z.string()) });
export type LibpodImagesResolveReport = z.output<typeof LibpodImagesResolveReport>;

/** `entitiesTypes.ImageLoadReport`. */
export const ImageLoadReport = z.object({ Names: z.array(z.string()).nullable() });
export type ImageLoadReport = z.output<typeof ImageLoadReport>;

/** `entitiesTypes.ImageImportReport`. */
export const ImageImportReport = z.object({ Id: z.string() });
export type ImageImportReport = z.output<typeof ImageImportReport>;

/** `entitiesTypes.ImageTreeReport`. */
export const ImageTreeReport = z.object({ Tree: z.string() });

/** `entitiesTypes.ImageSearchReport`. */
export const ImageSearchReport = z.object({
  Index: z.string(),
  Name: z.string(),
  Description: z.string(),
  Stars: z.number(),
  /** `[OK]` or nothing. */
  Official: z.string(),
  Automated: z.string(),
  Tag: z.string(),
});
export type ImageSearchReport = z.output<typeof ImageSearchReport>;

/** `registry.SearchResult` of Docker, and Podman's report besides, which its service answers in Docker's tree too. */
export const ImageSearchResult = ImageSearchReport.extend({
  name: z.string(),
  description: z.string(),
  star_count: z.number(),
  is_official: z.boolean(),
  is_automated: z.boolean(),
});
export type ImageSearchResult = z.output<typeof ImageSearchResult>;

/** `reports.ScpReport`. */
export const ScpReport = z.object({ Id: z.string() });
