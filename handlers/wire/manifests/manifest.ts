/**
 * Manifest lists.
 *
 * @module
 */
import { optionalFlag, textMap } from "../query.ts";
import { z } from "../zod.ts";

const texts = z.array(z.string());
const map = z.record(z.string(), z.string());

/** `imageInternalManifest.Schema2PlatformSpec`. */
export const PlatformSpec = z.object({
  architecture: z.string(),
  os: z.string(),
  "os.version": z.string().optional(),
  "os.features": texts.optional(),
  variant: z.string().optional(),
  features: texts.optional(),
});
export type PlatformSpec = z.output<typeof PlatformSpec>;

/** `libimageDefine.ManifestListDescriptor`. */
export const ManifestListDescriptor = z.object({
  mediaType: z.string(),
  size: z.number(),
  digest: z.string(),
  urls: texts.optional(),
  platform: PlatformSpec,
  annotations: map.optional(),
  artifactType: z.string().optional(),
  /** Base64. */
  data: z.string().optional(),
  files: texts.optional(),
});
export type ManifestListDescriptor = z.output<typeof ManifestListDescriptor>;

/** `libimageDefine.ManifestListData`. */
export const ManifestListData = z.object({
  schemaVersion: z.number(),
  mediaType: z.string(),
  artifactType: z.string().optional(),
  manifests: z.array(ManifestListDescriptor).nullable(),
  subject: ManifestListDescriptor.nullish(),
  annotations: map.optional(),
});
export type ManifestListData = z.output<typeof ManifestListData>;

/** `entities.ManifestModifyOptions`, which `entities.ManifestAddOptions` is part of. */
export const ManifestModifyOptions = z.object({
  operation: z.string(),
  all: z.boolean(),
  images: texts,
  annotation: texts,
  annotations: map,
  arch: z.string(),
  features: texts,
  os: z.string(),
  os_features: texts,
  os_version: z.string(),
  variant: z.string(),
  index_annotation: texts,
  index_annotations: map,
  subject: z.string(),
  artifact_type: z.string().nullish(),
  artifact_layer_type: z.string(),
  artifact_config_type: z.string(),
  artifact_config: z.string(),
  artifact_exclude_titles: z.boolean(),
  artifact_annotations: map,
  artifact_subject: z.string(),
  artifact_files: texts,
});
export type ManifestModifyOptions = z.output<typeof ManifestModifyOptions>;

/** `entities.ManifestAddOptions`, and what clients of the third generation send beside it. */
export const ManifestAddOptions = ManifestModifyOptions.pick({
  all: true,
  images: true,
  annotation: true,
  annotations: true,
  arch: true,
  features: true,
  os: true,
  os_features: true,
  os_version: true,
  variant: true,
  index_annotation: true,
  index_annotations: true,
  subject: true,
}).extend({ TLSVerify: z.boolean().optional() });
export type ManifestAddOptions = z.output<typeof ManifestAddOptions>;

/** `entitiesTypes.IDResponse`. */
export const IDResponse = z.object({ Id: z.string() });

/** `entitiesTypes.ManifestModifyReport`. */
export const ManifestModifyReport = z.object({
  Id: z.string(),
  images: texts.optional(),
  files: texts.optional(),
  errors: z.array(z.unknown()).optional(),
});
export type ManifestModifyReport = z.output<typeof ManifestModifyReport>;

/** `entitiesTypes.ManifestPushReport`. */
export const ManifestPushReport = z.object({
  Id: z.string(),
  stream: z.string().optional(),
  error: z.string().optional(),
});
export type ManifestPushReport = z.output<typeof ManifestPushReport>;

/** The query of `ManifestCreate`. */
export const ManifestCreateQuery = z.object({
  name: z.string().optional(),
  images: texts.optional(),
  /** The third generation's name for `images`. */
  image: texts.optional(),
  all: optionalFlag,
  amend: optionalFlag,
  annotation: texts.optional(),
  /** A map in the form of JSON. */
  annotations: textMap.optional(),
});
export type ManifestCreateQuery = z.output<typeof ManifestCreateQuery>;

/** The query of operations that may ask a registry. */
export const ManifestAccessQuery = z.object({ tlsVerify: optionalFlag });

/** The query of `ManifestDelete`. */
export const ManifestDeleteQuery = z.object({ ignore: optionalFlag });

/** The query of `ManifestRemoveDigestV3`. */
export const ManifestRemoveDigestQuery = z.object({ digest: z.string().optional() });

/** The query of `ManifestPush`. Nothing here has a signature, so `removeSignatures` needs nothing done. */
export const ManifestPushQuery = z.object({
  all: optionalFlag,
  compressionFormat: z.string().optional(),
  compressionLevel: z.int().optional(),
  forceCompressionFormat: optionalFlag,
  format: z.string().optional(),
  removeSignatures: optionalFlag,
  tlsVerify: optionalFlag,
  quiet: optionalFlag,
  addCompression: texts.optional(),
});
export type ManifestPushQuery = z.output<typeof ManifestPushQuery>;

/** The query of `ManifestPushV3`. */
export const ManifestPushV3Query = z.object({
  all: optionalFlag,
  destination: z.string().optional(),
  removeSignatures: optionalFlag,
  tlsVerify: optionalFlag,
});
export type ManifestPushV3Query = z.output<typeof ManifestPushV3Query>;
