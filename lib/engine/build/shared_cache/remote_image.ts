import { parseImageConfig } from "../../../oci/image_config.ts";
import { parseManifest } from "../../../oci/manifest.ts";
import { isImageConfigType } from "../../../oci/media_type.ts";
import { choosePlatform, type Platform } from "../../../oci/platform.ts";
import type { Reference } from "../../../oci/reference.ts";
import type { RegistryClient } from "../../../oci/registry/registry_client.ts";
import type { SharedImage } from "./shared_step.ts";

/**
 * Reads an image's config in its registry, and its layers when they are opened; of a list, those for the platform. Returns
 * `undefined` for what is no image. Throws `RegistryError`, `SyntaxError` and `RangeError` for documents that are wrong.
 */
export async function readRemoteImage(
  client: RegistryClient,
  reference: Reference,
  platform: Platform,
  signal: AbortSignal,
): Promise<SharedImage | undefined> {
  const read = async (one: Reference) => {
    const { bytes, mediaType } = await client.manifest(one, { signal });
    return parseManifest(bytes, mediaType);
  };
  let manifest = await read(reference);
  if (manifest.kind === "index") {
    const chosen = choosePlatform(manifest, platform);
    if (chosen === undefined) return undefined;
    manifest = await read({ ...reference, tag: undefined, digest: chosen.digest });
  }
  if (manifest.kind === "index" || !isImageConfigType(manifest.config.mediaType)) return undefined;
  const { config, layers } = manifest;
  return {
    config: parseImageConfig(await client.blobBytes(reference, config, { signal })),
    async open(layer) {
      if (layers[layer] === undefined) throw new RangeError(`Open layer ${layer}: the manifest has ${layers.length}`);
      return await client.blob(reference, layers[layer], { signal });
    },
  };
}
