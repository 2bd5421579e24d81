/**
 * Manifests and indexes as bytes, and their two families turned into each other: OCI image-spec, and Docker's "Image Manifest V
 * 2, Schema 2".
 *
 * @module
 */
import type { Descriptor } from "./descriptor.ts";
import type { Index, Manifest } from "./manifest.ts";
import { type Compression, isIndexType, layerCompression, MEDIA_TYPE } from "./media_type.ts";
import { encodeJSON, withoutAbsent } from "./json.ts";

/** Which family of media types a manifest is of. */
export type ManifestFormat = "oci" | "docker";

/** The types of manifest, index and config in each format. */
export const DOCUMENT_TYPES = {
  oci: { manifest: MEDIA_TYPE.ociManifest, index: MEDIA_TYPE.ociIndex, config: MEDIA_TYPE.ociConfig },
  docker: { manifest: MEDIA_TYPE.dockerManifest, index: MEDIA_TYPE.dockerList, config: MEDIA_TYPE.dockerConfig },
} as const;

/** The type of a layer in each format; Docker's has none for Zstandard. */
export const LAYER_TYPES = {
  oci: { gzip: MEDIA_TYPE.ociLayerGzip, none: MEDIA_TYPE.ociLayer, zstd: MEDIA_TYPE.ociLayerZstd },
  docker: { gzip: MEDIA_TYPE.dockerLayerGzip, none: MEDIA_TYPE.dockerLayer, zstd: undefined },
} as const satisfies Record<ManifestFormat, Record<Compression, string | undefined>>;

/** The family a manifest's or index's media type belongs to. */
export function formatOf(mediaType: string): ManifestFormat {
  return mediaType === MEDIA_TYPE.dockerManifest || mediaType === MEDIA_TYPE.dockerList ? "docker" : "oci";
}

/**
 * The manifest in the other family's media types, its content the same: digests of config and layers stay. Docker's has no
 * annotations, and no layers in Zstandard.
 *
 * Throws `SyntaxError` for what the family cannot say.
 */
export function convertManifest(manifest: Manifest, format: ManifestFormat): Manifest {
  if (formatOf(manifest.mediaType) === format) return manifest;
  const layers = manifest.layers.map((layer) => {
    const compression = layerCompression(layer.mediaType);
    const mediaType = compression === undefined ? undefined : LAYER_TYPES[format][compression];
    if (mediaType === undefined) {
      throw new SyntaxError(`Convert manifest: no ${format} media type for a layer of "${layer.mediaType}"`);
    }
    return { ...dockerDescriptor(layer), mediaType };
  });
  const config = {
    ...dockerDescriptor(manifest.config),
    mediaType: DOCUMENT_TYPES[format].config,
  };
  const mediaType = DOCUMENT_TYPES[format].manifest;
  return { kind: "manifest", mediaType, config, layers, annotations: format === "oci" ? manifest.annotations : {} };
}

/** A manifest as bytes: the same one always gives the same. */
export function writeManifest({ mediaType, artifactType, config, layers, subject, annotations }: Manifest): Uint8Array {
  return encodeJSON({
    schemaVersion: 2,
    mediaType,
    ...(artifactType === undefined ? {} : { artifactType }),
    config: orderFields(config),
    layers: layers.map(orderFields),
    ...(subject === undefined ? {} : { subject: orderFields(subject) }),
    ...(isEmpty(annotations) ? {} : { annotations }),
  });
}

/** An index as bytes: the same one always gives the same. */
export function writeIndex({ mediaType, artifactType, manifests, subject, annotations }: Index): Uint8Array {
  if (!isIndexType(mediaType)) throw new TypeError(`Write index: "${mediaType}" is no index's media type`);
  const isDocker = formatOf(mediaType) === "docker";
  return encodeJSON({
    schemaVersion: 2,
    mediaType,
    ...(artifactType === undefined || isDocker ? {} : { artifactType }),
    manifests: manifests.map(isDocker ? dockerEntry : orderFields),
    ...(subject === undefined || isDocker ? {} : { subject: orderFields(subject) }),
    ...(isEmpty(annotations) || isDocker ? {} : { annotations }),
  });
}

/** Docker's list has a platform in every entry, and nothing of OCI's own. */
function dockerEntry({ mediaType, size, digest, urls, platform }: Descriptor): Record<string, unknown> {
  return {
    mediaType,
    size,
    digest,
    ...(urls === undefined ? {} : { urls }),
    platform: platform ?? { architecture: "", os: "" },
  };
}

function orderFields(descriptor: Descriptor): Record<string, unknown> {
  const { mediaType, digest, size, urls, annotations, data, platform, artifactType } = descriptor;
  const all = { mediaType, digest, size, urls, annotations: isEmpty(annotations) ? undefined : annotations, data };
  return withoutAbsent({
    ...all,
    platform: platform && withoutAbsent({ ...platform, features: undefined }),
    artifactType,
  });
}

function dockerDescriptor({ mediaType, digest, size, urls, annotations }: Descriptor): Descriptor {
  return {
    mediaType,
    digest,
    size,
    ...(urls === undefined ? {} : { urls }),
    ...(isEmpty(annotations) ? {} : { annotations }),
  };
}

function isEmpty(map: Record<string, string> | undefined): boolean {
  return map === undefined || Object.keys(map).length === 0;
}
