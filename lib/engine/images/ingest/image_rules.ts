/**
 * The rules that an image keeps, wherever it comes from: a registry, an archive, a folder. Each source refuses the same image with
 * the same words.
 *
 * @module
 */
import type { Descriptor } from "../../../oci/descriptor.ts";
import type { ImageConfig } from "../../../oci/image_config.ts";
import { type Index, type Manifest, parseManifest } from "../../../oci/manifest.ts";
import { isImageConfigType, layerCompression } from "../../../oci/media_type.ts";
import { EngineError } from "../../errors.ts";
import type { InputLimits, Platform } from "../../options.ts";

/** Parses a manifest or an index of a media type that its source stated. Throws `EngineError("limit")` for one that is too large. */
export function parseDocument(bytes: Uint8Array, mediaType: string | undefined, limits: InputLimits): Manifest | Index {
  if (bytes.length <= limits.manifestBytes) return parseManifest(bytes, mediaType);
  throw new EngineError("limit", `Store image: a manifest of ${bytes.length} bytes`);
}

/** Refuses manifests of what is no image, or of one that could not be stored or mounted. */
export function checkManifest({ config, layers }: Manifest, limits: InputLimits): void {
  if (!isImageConfigType(config.mediaType)) {
    throw new EngineError("unsupported", `Store image: it is an artifact of type "${config.mediaType}"`);
  }
  checkMountable(layers.length, limits);
  if (config.size > limits.manifestBytes) {
    throw new EngineError("limit", `Store image: a config of ${config.size} bytes`);
  }
  const foreign = layers.find(({ mediaType }) => layerCompression(mediaType) === undefined);
  if (foreign) throw new EngineError("unsupported", `Store image: "${foreign.mediaType}" is no layer's media type`);
  const elsewhere = layers.find(({ mediaType }) => /nondistributable|\.foreign\./.test(mediaType));
  if (elsewhere) {
    throw new EngineError("unsupported", `Store image: "${elsewhere.mediaType}" is a layer that is not distributed`);
  }
  for (const descriptor of [config, ...layers]) checkAlgorithm(descriptor);
}

/** Throws `EngineError("unsupported")` for content that is not named by a SHA-256 digest. */
export function checkAlgorithm({ digest }: Pick<Descriptor, "digest">): void {
  if (digest.startsWith("sha256:")) return;
  throw new EngineError("unsupported", `Store image: digest "${digest}" is not a sha256 one`);
}

/** Throws `EngineError("limit")` for more layers than a container can be mounted with. */
export function checkMountable(count: number, limits: InputLimits): void {
  if (count <= limits.layers) return;
  throw new EngineError("limit", `Store image: ${count} layers, at most ${limits.layers} can be mounted`);
}

/** Returns the diff IDs of a config. Throws `EngineError("corrupt")` unless the manifest has as many layers. */
export function diffIDsOf({ rootfs }: ImageConfig, inManifest: number): readonly string[] {
  const { diff_ids: diffIDs } = rootfs;
  if (diffIDs.length === inManifest) return diffIDs;
  const counts = `${inManifest} layers in the manifest, ${diffIDs.length} in the config`;
  throw new EngineError("corrupt", `Store image: ${counts}`);
}

/** Throws `EngineError("corrupt")` for a layer whose plain tar is not what the config says. */
export function checkDiffID(digest: string, found: string, inConfig: string | undefined): void {
  if (inConfig === undefined || found === inConfig) return;
  throw new EngineError("corrupt", `Unpack ${digest}: the layer's diff ID is ${found}, the config says ${inConfig}`);
}

/** Says that an index has no image for a platform. */
export function missingPlatform({ architecture, variant = "", os }: Platform): string {
  const wanted = `architecture "${architecture}", variant "${variant}", OS "${os}"`;
  return `no image found in manifest list for ${wanted}`;
}
