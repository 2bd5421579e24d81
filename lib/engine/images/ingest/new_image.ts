import type { Descriptor } from "../../../oci/descriptor.ts";
import type { ImageConfig } from "../../../oci/image_config.ts";
import { DOCUMENT_TYPES, type ManifestFormat, writeManifest } from "../../../oci/manifest_writer.ts";
import { parseReference, repositoryName as repositoryOf } from "../../../oci/reference.ts";
import { hostOf } from "../../core.ts";
import type { ImageRecord } from "../../records/image_record.ts";
import { keysOf } from "../store/content.ts";
import { describeDocument, ingestDocument, type Intake, type StoredLayer, storeDocument } from "./ingest.ts";
import { encodeJSON } from "../../../oci/json.ts";

/** An image whose content is stored and claimed, and which no record names yet. */
export interface NewImage {
  config: ImageConfig;
  configDigest: string;
  manifest: { digest: string; mediaType: string; annotations: Record<string, string> };
  /** Digests of the manifest, and of the indexes it was chosen from. */
  documents: readonly string[];
  layers: readonly StoredLayer[];
  /** ID of the image that it was made on, where its record is to tell that. */
  parent?: string;
}

/** Writes config and manifest of stored layers. */
export async function writeImage(
  intake: Intake,
  { config, layers, format, annotations }: {
    config: ImageConfig;
    layers: readonly StoredLayer[];
    format: ManifestFormat;
    annotations?: Readonly<Record<string, string>>;
  },
): Promise<NewImage> {
  const types = DOCUMENT_TYPES[format];
  const bytes = encodeJSON(config);
  const described = await describeDocument(intake, bytes, types.config);
  // Both wait for the disk.
  const storing = storeDocument(intake, bytes, described);
  storing.catch(() => {});
  try {
    return { ...await storeManifest(intake, { config: described, layers, format, annotations }), config };
  } finally {
    await storing;
  }
}

/** A manifest's description of a piece of content. */
type Described = Pick<Descriptor, "mediaType" | "digest" | "size">;

/** The manifest of a config and layers, as bytes. */
export function manifestBytes(
  format: ManifestFormat,
  config: Described,
  layers: readonly Described[],
  annotations: Readonly<Record<string, string>> = {},
): Uint8Array {
  const describe = ({ mediaType, digest, size }: Described) => ({ mediaType, digest, size });
  const { manifest: mediaType } = DOCUMENT_TYPES[format];
  return writeManifest({
    kind: "manifest",
    mediaType,
    config: describe(config),
    layers: layers.map(describe),
    annotations: { ...annotations },
  });
}

/** Stores the manifest of a config and layers. */
export async function storeManifest(
  intake: Intake,
  { config, layers, format, annotations = {} }: {
    config: Described;
    layers: readonly StoredLayer[];
    format: ManifestFormat;
    annotations?: Readonly<Record<string, string>>;
  },
): Promise<Omit<NewImage, "config">> {
  const mediaType = DOCUMENT_TYPES[format].manifest;
  const own = format === "oci" ? { ...annotations } : {};
  const { digest } = await ingestDocument(intake, manifestBytes(format, config, layers, own), mediaType);
  const manifest = { digest, mediaType, annotations: own };
  return { configDigest: config.digest, manifest, documents: [digest], layers };
}

/**
 * Gives an image its record and names. One that is here already stays as it is and gets the names: what was stored of it
 * anew goes with the claim.
 */
export async function addImage(intake: Intake, image: NewImage, names: readonly string[]): Promise<ImageRecord> {
  const { catalogue, content, claim } = intake;
  const id = image.configDigest.slice("sha256:".length);
  const known = catalogue.get(id);
  // Should it be removed just now, its content stays for the record that comes back.
  if (known) { for (const key of keysOf(known)) claim.add(key); }
  const record = known ?? newRecord(intake, image);
  return await catalogue.add({
    record: { ...record, repoDigests: [...digestsWith(record.digest, names, image), ...record.repoDigests] },
    names,
    operations: content.keepSizes(record.layers.map(({ diffID }) => diffID)),
    claim,
  });
}

/** Makes the record of a new image; it lacks names and the digests that its names have. */
export function newRecord(
  { core, content }: Intake,
  { config, configDigest, manifest, layers, parent }: NewImage,
): ImageRecord {
  const isUnpacked = hostOf(core) !== undefined;
  const sizeOf = ({ diffID, size }: StoredLayer) => (isUnpacked ? content.layerSize(diffID) : undefined) ?? size;
  return {
    id: configDigest.slice("sha256:".length),
    digest: manifest.digest,
    mediaType: manifest.mediaType,
    repoDigests: [],
    names: [],
    history: [],
    pulledAt: new Date(core.clock.now()).toISOString(),
    layers: [...layers],
    size: layers.reduce((sum, layer) => sum + sizeOf(layer), 0),
    config,
    annotations: manifest.annotations,
    ...parent !== undefined && { parent },
  };
}

/** The digests that the names' repositories now have; those of documents that were not kept are none. */
function digestsWith(kept: string, names: readonly string[], { manifest, documents }: NewImage): string[] {
  const digests = manifest.digest === kept ? documents : [kept];
  return names.flatMap((name) => digests.map((digest) => `${repositoryOf(parseReference(name))}@${digest}`));
}
