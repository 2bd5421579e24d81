import { LAYER_TYPES, type ManifestFormat } from "../../../oci/manifest_writer.ts";
import { layerCompression } from "../../../oci/media_type.ts";
import { EngineError } from "../../errors.ts";
import type { ImageRecord } from "../../records/image_record.ts";
import { decompress } from "./decompress.ts";
import { inParallel } from "../../concurrency.ts";
import { admit, type Intake, type StoredLayer, storeLayer } from "./ingest.ts";

/** How layers are taken. */
export interface TakeOptions {
  format: ManifestFormat;
  /** Whether plain layers are packed. */
  pack?: boolean;
}

/**
 * An image's layers for another manifest, claimed, with media types in the format's words. They are the same blobs but for
 * those that have to be packed anew: plain ones where that is asked for, and Zstandard, which Docker's format has no word for.
 */
export async function takeLayers(
  intake: Intake,
  image: ImageRecord,
  { format, pack = false }: TakeOptions,
): Promise<StoredLayer[]> {
  // At once, all of them, while the record still holds them: nothing may go in between.
  for (const { digest, diffID } of image.layers) {
    intake.claim.add(`blob:${digest}`);
    intake.claim.add(`layer:${diffID}`);
  }
  return await inParallel(image.layers, intake.core.options.limits.parallelBlobs, async (layer) => {
    await admit(intake, `blob:${layer.digest}`);
    const compression = layerCompression(layer.mediaType) ?? "none";
    const mediaType = LAYER_TYPES[format][compression];
    const stays = mediaType !== undefined && !(pack && compression === "none");
    return stays ? { ...layer, mediaType } : await packed(intake, layer.digest, format);
  });
}

async function packed(intake: Intake, digest: string, format: ManifestFormat): Promise<StoredLayer> {
  const { blobs, codec } = intake.core.ports;
  const blob = await blobs.open(digest);
  if (!blob) throw new EngineError("internal", `Read ${digest}: its blob is not there`);
  return await storeLayer(intake, { tar: await decompress(codec, blob) }, { compression: "gzip", format });
}
