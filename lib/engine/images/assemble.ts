import type { HistoryEntry, ImageConfig } from "../../oci/image_config.ts";
import { DOCUMENT_TYPES, LAYER_TYPES, type ManifestFormat } from "../../oci/manifest_writer.ts";
import { layerCompression } from "../../oci/media_type.ts";
import { name as repositoryOf, parseReference } from "../../oci/reference.ts";
import { hostOf } from "../core.ts";
import { EngineError } from "../errors.ts";
import type { ImageRecord } from "../image_record.ts";
import {
  admit,
  type ImageParts,
  type Intake,
  jsonBytes,
  type StoredLayer,
  storeDocument,
  storeLayer,
  withIntake,
} from "./intake.ts";
import { findImage, nameForTag } from "./lookup.ts";
import { decompress } from "./unpack.ts";

/** What an image is made of. */
export interface AssembleOptions {
  /** The image whose layers and history come first; none for an image that stands alone (a squashed one, an import). */
  base?: string;
  /** Plain OCI changeset tars (`.wh.` whiteouts), from base to top. Those that are not read to their end are cancelled. */
  layers: readonly ReadableStream<Uint8Array>[];
  /** Its `rootfs` and `history` are not looked at: they are the base's, with what comes on top. */
  config: ImageConfig;
  /** The steps on top of the base's; as many of them as there are layers must not be empty ones. */
  history: readonly HistoryEntry[];
  format: ManifestFormat;
  /** Names it gets, as in {@linkcode Images.tag}; other images lose them. */
  names?: readonly string[];
  /** How the layers' blobs are kept; `gzip` by default. */
  compression?: "gzip" | "none";
  /** The image event that tells of it (`import`); none by default. */
  action?: string;
  signal?: AbortSignal;
}

/**
 * Makes an image: stores and unpacks its layers, writes its config and manifest, and gives it its names. It appears when all
 * of it is there; when that fails, or the process ends before, nothing of it stays. The same content is the same image.
 *
 * Throws `EngineError`: `no_such_image` for the base, `invalid` for names, `corrupt` and `limit` for layers, `cancelled`.
 */
export async function assembleImage(
  parts: ImageParts,
  { signal, ...options }: AssembleOptions & { signal: AbortSignal },
): Promise<ImageRecord> {
  const unread = new Set(options.layers);
  try {
    const image = await withIntake(parts, { signal, what: "Assemble image" }, (intake) => {
      return assemble(intake, options, unread);
    });
    if (options.action !== undefined) {
      const name = options.names?.[0] ?? image.id;
      parts.core.events.emit({ type: "image", action: options.action, id: image.id, name });
    }
    return image;
  } finally {
    for (const layer of unread) if (!layer.locked) await layer.cancel().catch(() => {});
  }
}

async function assemble(
  intake: Intake,
  { base, config, history, format, names = [], compression = "gzip", layers }: AssembleOptions,
  unread: Set<ReadableStream<Uint8Array>>,
): Promise<ImageRecord> {
  const { core, catalogue, content } = intake;
  const fullNames = names.map(nameForTag);
  const below = base === undefined ? undefined : findImage(catalogue, core.options.registries, base).image;
  checkCounts(layers, history, (below?.layers.length ?? 0) + layers.length, core.options.limits.layers);
  const stored = below === undefined ? [] : await takeLayers(intake, below, format);
  for (const layer of layers) {
    const added = await storeLayer(intake, layer, { compression, format });
    unread.delete(layer);
    stored.push(added);
  }
  const now = new Date(core.clock.now()).toISOString();
  const whole: ImageConfig = {
    created: now,
    ...config,
    rootfs: { type: "layers", diff_ids: stored.map(({ diffID }) => diffID) },
    history: [...below?.config.history ?? [], ...history],
  };
  const types = DOCUMENT_TYPES[format];
  const configDescriptor = await storeDocument(intake, jsonBytes(whole), types.config);
  const manifest = {
    schemaVersion: 2,
    mediaType: types.manifest,
    config: configDescriptor,
    layers: stored.map(({ mediaType, digest, size }) => ({ mediaType, digest, size })),
  };
  const { digest } = await storeDocument(intake, jsonBytes(manifest), types.manifest);
  const isUnpacked = hostOf(core) !== undefined;
  const sizeOf = ({ diffID, size }: StoredLayer) => (isUnpacked ? content.layerSize(diffID) : undefined) ?? size;
  return await catalogue.add({
    record: {
      id: configDescriptor.digest.slice("sha256:".length),
      digest,
      mediaType: types.manifest,
      repoDigests: fullNames.map((name) => `${repositoryOf(parseReference(name))}@${digest}`),
      names: [],
      history: [],
      pulledAt: now,
      layers: stored,
      size: stored.reduce((sum, layer) => sum + sizeOf(layer), 0),
      config: whole,
      annotations: {},
    },
    names: fullNames,
    operations: content.keepSizes(stored.map(({ diffID }) => diffID)),
  });
}

function checkCounts(
  layers: readonly unknown[],
  history: readonly HistoryEntry[],
  total: number,
  limit: number,
): void {
  const steps = history.filter(({ empty_layer }) => !empty_layer).length;
  if (steps !== layers.length) {
    throw new EngineError("internal", `Assemble image: ${layers.length} layers, but ${steps} steps that make one`);
  }
  if (total > limit) {
    throw new EngineError("limit", `Assemble image: ${total} layers, at most ${limit} can be mounted`);
  }
}

/** The layers of the image below, in the words of the format. */
async function takeLayers(intake: Intake, base: ImageRecord, format: ManifestFormat): Promise<StoredLayer[]> {
  const { claim } = intake;
  // At once, all of them, while the record still holds them: nothing may go in between.
  for (const { digest, diffID } of base.layers) {
    claim.add(`blob:${digest}`);
    claim.add(`layer:${diffID}`);
  }
  const taken: StoredLayer[] = [];
  for (const layer of base.layers) {
    await admit(intake, `blob:${layer.digest}`);
    const mediaType = LAYER_TYPES[format][layerCompression(layer.mediaType) ?? "none"];
    taken.push(mediaType === undefined ? await recompressed(intake, layer.digest, format) : { ...layer, mediaType });
  }
  return taken;
}

async function recompressed(intake: Intake, digest: string, format: ManifestFormat): Promise<StoredLayer> {
  const { blobs, codec } = intake.core.ports;
  const blob = await blobs.open(digest);
  if (!blob) throw new EngineError("internal", `Read ${digest}: its blob is not there`);
  return await storeLayer(intake, await decompress(codec, blob), { compression: "gzip", format });
}
