import type { HistoryEntry, ImageConfig } from "../../../oci/image_config.ts";
import type { ManifestFormat } from "../../../oci/manifest_writer.ts";
import { EngineError } from "../../errors.ts";
import type { ImageRecord } from "../../records/image_record.ts";
import { type ImageParts, type Intake, type NewLayer, storeLayer, withIntake } from "../ingest/ingest.ts";
import { findImage, nameForTag } from "./lookup.ts";
import { addImage, writeImage } from "../ingest/new_image.ts";
import { takeLayers } from "../ingest/take_layers.ts";

/** The parts of a new image. */
export interface AssembleOptions {
  /** The image whose layers and history come first; none for an image that stands alone (a squashed one, an import). */
  base?: string;
  /** From base to top. Tars that are not read to their end are cancelled. */
  layers: readonly NewLayer[];
  /** Its `rootfs` and `history` are not looked at: they are the base's, with what comes on top. */
  config: ImageConfig;
  /** The steps on top of the base's; as many of them as there are layers must not be empty ones. */
  history: readonly HistoryEntry[];
  /** The digests that the layers must have, in their order; another one is `corrupt`. */
  diffIDs?: readonly string[];
  /** The config gets no history at all. */
  omitHistory?: boolean;
  /** Of the manifest, where its format has any. */
  annotations?: Readonly<Record<string, string>>;
  format: ManifestFormat;
  /** Names it gets, as in {@linkcode Images.tag}; other images lose them. */
  names?: readonly string[];
  /** How the layers' blobs are kept; `gzip` by default. */
  compression?: "gzip" | "none";
  /** The record tells the base as the image's parent, as Docker does after commits and classic builds; it does not by default. */
  recordsParent?: boolean;
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
    for (const { tar } of unread) if (!tar.locked) await tar.cancel().catch(() => {});
  }
}

async function assemble(
  intake: Intake,
  { base, config, history, omitHistory, annotations, format, recordsParent, layers, diffIDs, ...options }:
    AssembleOptions,
  unread: Set<NewLayer>,
): Promise<ImageRecord> {
  const { core, catalogue } = intake;
  const { names = [], compression = "gzip" } = options;
  const fullNames = names.map(nameForTag);
  const below = base === undefined ? undefined : findImage(catalogue, core.options.registries, base).image;
  checkCounts(layers, history, (below?.layers.length ?? 0) + layers.length, core.options.limits.layers);
  const stored = below === undefined ? [] : await takeLayers(intake, below, { format });
  for (const [at, layer] of layers.entries()) {
    const added = await storeLayer(intake, layer, { compression, format });
    unread.delete(layer);
    if (diffIDs !== undefined && added.diffID !== diffIDs[at]) {
      throw new EngineError(
        "corrupt",
        `Assemble image: a layer has the digest ${added.diffID}, expected ${diffIDs[at]}`,
      );
    }
    stored.push(added);
  }
  const whole: ImageConfig = {
    created: new Date(core.clock.now()).toISOString(),
    ...config,
    rootfs: { type: "layers", diff_ids: stored.map(({ diffID }) => diffID) },
    history: omitHistory ? [] : [...below?.config.history ?? [], ...history],
  };
  const made = await writeImage(intake, { config: whole, layers: stored, format, annotations });
  return await addImage(intake, recordsParent ? { ...made, parent: below?.id } : made, fullNames);
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
