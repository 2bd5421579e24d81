/**
 * Artifacts.
 *
 * @module
 */
import { optionalFlag } from "../query.ts";
import { z } from "../zod.ts";

/** `ocispec.Descriptor`. */
export const ArtifactDescriptor = z.object({
  mediaType: z.string(),
  digest: z.string(),
  size: z.number(),
  urls: z.array(z.string()).optional(),
  annotations: z.record(z.string(), z.string()).optional(),
  /** Base64 of the content. */
  data: z.string().optional(),
  artifactType: z.string().optional(),
});

/** `manifest.OCI1`. */
export const ArtifactManifest = z.object({
  schemaVersion: z.number(),
  mediaType: z.string().optional(),
  artifactType: z.string().optional(),
  config: ArtifactDescriptor,
  layers: z.array(ArtifactDescriptor),
  subject: ArtifactDescriptor.nullish(),
  annotations: z.record(z.string(), z.string()).optional(),
});

/** `entitiesTypes.ArtifactInspectReport` and `entitiesTypes.ArtifactListReport`. */
export const ArtifactReport = z.object({ Digest: z.string(), Name: z.string(), Manifest: ArtifactManifest });
export type ArtifactReport = z.output<typeof ArtifactReport>;

/** `entitiesTypes.ArtifactAddReport`, and what a pull and a push answer. */
export const ArtifactDigestReport = z.object({ ArtifactDigest: z.string() });

/** `entitiesTypes.ArtifactRemoveReport`. */
export const ArtifactRemoveReport = z.object({ ArtifactDigests: z.array(z.string()) });

/** The query of `AddArtifact` and `AddLocalArtifact`. */
export const AddArtifactQuery = z.object({
  name: z.string().optional(),
  fileName: z.string().optional(),
  fileMIMEType: z.string().optional(),
  /** `key=value`. */
  annotations: z.array(z.string()).optional(),
  artifactMIMEType: z.string().optional(),
  append: optionalFlag,
  replace: optionalFlag,
  path: z.string().optional(),
});
export type AddArtifactQuery = z.output<typeof AddArtifactQuery>;

/** The query of `PullArtifact`. */
export const PullArtifactQuery = z.object({
  name: z.string().optional(),
  retry: z.int().min(0).optional(),
  retryDelay: z.string().optional(),
  tlsVerify: optionalFlag,
});
export type PullArtifactQuery = z.output<typeof PullArtifactQuery>;

/** The query of `PushArtifact`. */
export const PushArtifactQuery = z.object({
  retry: z.int().min(0).optional(),
  retrydelay: z.string().optional(),
  tlsVerify: optionalFlag,
});

/** The query of `BatchRemoveArtifact`. */
export const RemoveArtifactsQuery = z.object({
  all: optionalFlag,
  artifacts: z.array(z.string()).optional(),
  ignore: optionalFlag,
});

/** The query of `ExtractArtifact`. */
export const ExtractArtifactQuery = z.object({
  digest: z.string().optional(),
  title: z.string().optional(),
  excludetitle: optionalFlag,
});
