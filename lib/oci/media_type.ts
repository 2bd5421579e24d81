/**
 * Media types of manifests, configs and layers: OCI image-spec "media-types", and Docker's distribution spec, "Image
 * Manifest V 2, Schema 2".
 *
 * @module
 */

/** The media types that are read and written by name. */
export const MEDIA_TYPE = {
  ociManifest: "application/vnd.oci.image.manifest.v1+json",
  ociIndex: "application/vnd.oci.image.index.v1+json",
  ociConfig: "application/vnd.oci.image.config.v1+json",
  ociLayer: "application/vnd.oci.image.layer.v1.tar",
  ociLayerGzip: "application/vnd.oci.image.layer.v1.tar+gzip",
  ociLayerZstd: "application/vnd.oci.image.layer.v1.tar+zstd",
  ociEmpty: "application/vnd.oci.empty.v1+json",
  dockerManifest: "application/vnd.docker.distribution.manifest.v2+json",
  dockerList: "application/vnd.docker.distribution.manifest.list.v2+json",
  dockerConfig: "application/vnd.docker.container.image.v1+json",
  dockerLayer: "application/vnd.docker.image.rootfs.diff.tar",
  dockerLayerGzip: "application/vnd.docker.image.rootfs.diff.tar.gzip",
  dockerSchema1: "application/vnd.docker.distribution.manifest.v1+json",
  dockerSchema1Signed: "application/vnd.docker.distribution.manifest.v1+prettyjws",
} as const;

/** Media types that a pull accepts, in order of preference. */
export const MANIFEST_ACCEPT: readonly string[] = [
  MEDIA_TYPE.ociIndex,
  MEDIA_TYPE.dockerList,
  MEDIA_TYPE.ociManifest,
  MEDIA_TYPE.dockerManifest,
];

/** How a layer's tar is compressed. */
export type Compression = "gzip" | "zstd" | "none";

const LAYERS: ReadonlyMap<string, Compression> = new Map([
  [MEDIA_TYPE.ociLayer, "none"],
  [MEDIA_TYPE.ociLayerGzip, "gzip"],
  [MEDIA_TYPE.ociLayerZstd, "zstd"],
  [MEDIA_TYPE.dockerLayer, "none"],
  [MEDIA_TYPE.dockerLayerGzip, "gzip"],
  ["application/vnd.docker.image.rootfs.diff.tar.zstd", "zstd"],
  ["application/vnd.oci.image.layer.nondistributable.v1.tar", "none"],
  ["application/vnd.oci.image.layer.nondistributable.v1.tar+gzip", "gzip"],
  ["application/vnd.oci.image.layer.nondistributable.v1.tar+zstd", "zstd"],
  ["application/vnd.docker.image.rootfs.foreign.diff.tar", "none"],
  ["application/vnd.docker.image.rootfs.foreign.diff.tar.gzip", "gzip"],
]);

/** The compression a layer's media type states; `undefined` when it is not a filesystem layer. */
export function layerCompression(mediaType: string): Compression | undefined {
  return LAYERS.get(mediaType);
}

/** The compression the first bytes of a stream show: what to go by, since media types are sometimes wrong. */
export function detectCompression(head: Uint8Array): Compression {
  if (head.length >= 3 && head[0] === 0x1f && head[1] === 0x8b && head[2] === 8) return "gzip";
  const [a, b, c, d] = head;
  return head.length >= 4 && a === 0x28 && b === 0xb5 && c === 0x2f && d === 0xfd ? "zstd" : "none";
}

/** Whether the type is an OCI index or Docker manifest list. */
export function isIndexType(mediaType: string): boolean {
  return mediaType === MEDIA_TYPE.ociIndex || mediaType === MEDIA_TYPE.dockerList;
}

/** Whether the type is an OCI or Docker schema 2 image manifest. */
export function isManifestType(mediaType: string): boolean {
  return mediaType === MEDIA_TYPE.ociManifest || mediaType === MEDIA_TYPE.dockerManifest;
}

/** Whether the config's type makes the manifest an image (not an artifact). */
export function isImageConfigType(mediaType: string): boolean {
  return mediaType === MEDIA_TYPE.ociConfig || mediaType === MEDIA_TYPE.dockerConfig;
}

/** The media type of a `Content-Type` value, without parameters, in lower case. */
export function bareMediaType(contentType: string | null): string {
  return (contentType ?? "").split(";", 1)[0].trim().toLowerCase();
}
