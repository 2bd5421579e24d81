import type { Descriptor } from "../../../oci/descriptor.ts";
import { DOCUMENT_TYPES, formatOf, LAYER_TYPES, type ManifestFormat } from "../../../oci/manifest_writer.ts";
import { type TarFile, tarStream } from "../../../oci/tar/tar_entries.ts";
import { EngineError } from "../../errors.ts";
import type { ImageRecord } from "../../records/image_record.ts";
import { keysOf } from "../store/content.ts";
import { decompress } from "../ingest/decompress.ts";
import { pullFailure } from "../failures.ts";
import type { ImageParts, Intake } from "../ingest/ingest.ts";
import { findImage } from "../store/lookup.ts";
import { manifestBytes } from "../ingest/new_image.ts";
import { takeLayers } from "../ingest/take_layers.ts";
import { readBlob } from "./image_files.ts";
import { whileClaimed } from "./while_claimed.ts";
import { encodeJSON } from "../../../oci/json.ts";

/** The formats images are saved in; all of them come out as a tar. */
export const SAVE_FORMATS = ["docker-archive", "oci-archive", "oci-dir", "docker-dir"] as const;
/** One of {@linkcode SAVE_FORMATS}. */
export type SaveFormat = typeof SAVE_FORMATS[number];

/** Options of {@linkcode saveImages}. */
export interface SaveOptions {
  format: SaveFormat;
  /** Pack plain layers in `docker-dir`; in OCI's formats, where a manifest is written anew, they are packed unless `plain`. */
  compress?: boolean;
  /** Write all layers as plain tars; in OCI's formats only. */
  plain?: boolean;
  signal?: AbortSignal;
}

/** An image to save, and the tags it was asked for by. */
interface Saved {
  image: ImageRecord;
  tags: string[];
}

/** A manifest with the content it names. */
interface Packed {
  manifest: Uint8Array;
  mediaType: string;
  config: { digest: string; size: number };
  layers: readonly Content[];
}

/** A blob of an archive: as it is stored, or what `open` gives. */
type Content = Pick<Descriptor, "digest" | "size"> & { open?: () => Promise<ReadableStream<Uint8Array>> };

const REF_NAME = "org.opencontainers.image.ref.name";

/**
 * Saves images as an archive. Content that is addressed by its digest comes out byte for byte as it is stored: a manifest is
 * only written anew where the format needs other media types. Several images fit into `docker-archive` alone.
 *
 * Errors that are known beforehand are thrown (`no_such_image`, `invalid`); later ones fail the stream. The content stays
 * until the stream has ended, whatever is removed meanwhile.
 */
export async function saveImages(
  parts: ImageParts,
  names: readonly string[],
  { format, ...options }: SaveOptions,
): Promise<ReadableStream<Uint8Array>> {
  const images = imagesOf(parts, names);
  if (images.length > 1 && format !== "docker-archive") {
    throw new EngineError("invalid", `unsupported format "${format}" for saving multiple images (only docker-archive)`);
  }
  const claim = parts.content.claim();
  for (const { image } of images) for (const key of keysOf(image)) claim.add(key);
  const intake: Intake = { ...parts, claim, signal: options.signal ?? new AbortController().signal };
  try {
    const files = format === "docker-archive"
      ? dockerFiles(intake, images)
      : await contentFiles(intake, images[0], { ...options, format });
    for (const { image, tags } of images) {
      parts.core.events.emit({ type: "image", action: "save", id: image.id, name: tags[0] ?? image.id });
    }
    return whileClaimed(claim, tarStream(files));
  } catch (error) {
    await claim.end("delete");
    throw pullFailure(error);
  }
}

/** The images of the names, each once, in order. */
function imagesOf({ core, catalogue }: ImageParts, names: readonly string[]): Saved[] {
  const found = new Map<string, Saved>();
  for (const text of names) {
    const { image, name, by } = findImage(catalogue, core.options.registries, text);
    if (image.list) throw new EngineError("unsupported", `${text}: manifest lists are not saved: save their images`);
    const saved: Saved = found.get(image.id) ?? { image, tags: [] };
    found.set(image.id, saved);
    if (by === "name" && !name.includes("@") && !saved.tags.includes(name)) saved.tags.push(name);
  }
  return [...found.values()];
}

/** As `docker save`: plain layers, configs, and `manifest.json` that says what belongs together. */
async function* dockerFiles(intake: Intake, images: readonly Saved[]): AsyncGenerator<TarFile> {
  const { ports: { blobs, codec }, options: { limits } } = intake.core;
  const written = new Set<string>();
  for (const { image } of images) {
    for (const layer of image.layers) {
      if (written.has(layer.diffID)) continue;
      written.add(layer.diffID);
      const open = async () => await decompress(codec, await openBlob(intake, layer.digest));
      const size = await plainSize(intake, layer, open);
      yield { path: `${hexOf(layer.diffID)}.tar`, size, content: open };
    }
    const config = await readBlob(blobs, `sha256:${image.id}`, limits.manifestBytes);
    yield { path: `${image.id}.json`, size: config.length, content: config };
  }
  const manifest = images.map(({ image, tags }) => ({
    Config: `${image.id}.json`,
    RepoTags: tags,
    Layers: image.layers.map(({ diffID }) => `${hexOf(diffID)}.tar`),
  }));
  yield bytesFile("manifest.json", encodeJSON(manifest));
}

/** Bytes of a layer's plain tar. Where nobody has unpacked it they are counted, once. */
async function plainSize(
  { core, content }: Intake,
  { digest, diffID, size }: ImageRecord["layers"][number],
  open: () => Promise<ReadableStream<Uint8Array>>,
): Promise<number> {
  if (digest === diffID) return size;
  const known = content.layerSize(diffID);
  if (known !== undefined) return known;
  let counted = 0;
  for await (const bytes of await open()) {
    counted += bytes.length;
    core.ports.codec.free?.(bytes);
  }
  content.setLayerSize(diffID, counted);
  await core.state.commit(content.keepSizes([diffID]));
  return counted;
}

/** The formats whose content is addressed by digests. */
async function contentFiles(
  intake: Intake,
  { image, tags }: Saved,
  options: Omit<SaveOptions, "signal">,
): Promise<AsyncIterable<TarFile>> {
  const packed = await pack(intake, image, options);
  const hash = intake.core.ports.codec.hash();
  hash.update(packed.manifest);
  const digest = await hash.digest();
  const blobs = new Map<string, Content>([...packed.layers, packed.config].map((content) => [content.digest, content]));
  const isDir = options.format === "docker-dir";
  return (async function* (): AsyncGenerator<TarFile> {
    // Some programs make no folders that are not listed.
    if (!isDir) { for (const path of ["blobs/", "blobs/sha256/"]) yield bytesFile(path, new Uint8Array(0)); }
    for (const { digest, size, open = () => openBlob(intake, digest) } of blobs.values()) {
      yield { path: `${isDir ? "" : "blobs/sha256/"}${hexOf(digest)}`, size, content: open };
    }
    if (isDir) {
      yield bytesFile("manifest.json", packed.manifest);
      yield bytesFile("version", new TextEncoder().encode("Directory Transport Version: 1.1\n"));
      return;
    }
    yield bytesFile(`blobs/sha256/${hexOf(digest)}`, packed.manifest);
    const descriptor = { mediaType: packed.mediaType, digest, size: packed.manifest.length };
    const manifests = (tags.length === 0 ? [undefined] : tags).map((tag) =>
      tag === undefined ? descriptor : { ...descriptor, annotations: { [REF_NAME]: tag } }
    );
    yield bytesFile("index.json", encodeJSON({ schemaVersion: 2, manifests }));
    yield bytesFile("oci-layout", encodeJSON({ imageLayoutVersion: "1.0.0" }));
  })();
}

/** The manifest as it is stored where it is one of the format, else written anew. */
async function pack(
  intake: Intake,
  image: ImageRecord,
  { format, compress = false, plain = false }: Omit<SaveOptions, "signal">,
): Promise<Packed> {
  const { ports: { blobs }, options: { limits } } = intake.core;
  const family: ManifestFormat = format === "docker-dir" ? "docker" : "oci";
  const isOfFamily = formatOf(image.mediaType) === family;
  const packPlain = format === "docker-dir" ? compress : !isOfFamily;
  const layers = plain && family === "oci"
    ? await plainLayers(intake, image)
    : await takeLayers(intake, image, { format: family, pack: packPlain });
  const digest = `sha256:${image.id}`;
  const config = { digest, size: (await readBlob(blobs, digest, limits.manifestBytes)).length };
  const isSame = isOfFamily && layers.every(({ digest }, i) => digest === image.layers[i].digest);
  const types = DOCUMENT_TYPES[family];
  const manifest = isSame
    ? await readBlob(blobs, image.digest, limits.manifestBytes)
    : manifestBytes(family, { ...config, mediaType: types.config }, layers);
  return { manifest, mediaType: types.manifest, config, layers };
}

/** An image's layers as plain tars, which are unpacked as they are written. */
async function plainLayers(intake: Intake, image: ImageRecord): Promise<(ImageRecord["layers"][number] & Content)[]> {
  const { codec } = intake.core.ports;
  const layers = [];
  for (const layer of image.layers) {
    const open = async () => await decompress(codec, await openBlob(intake, layer.digest));
    const size = await plainSize(intake, layer, open);
    layers.push({ ...layer, digest: layer.diffID, size, mediaType: LAYER_TYPES.oci.none, open });
  }
  return layers;
}

async function openBlob({ core }: Intake, digest: string): Promise<ReadableStream<Uint8Array>> {
  const blob = await core.ports.blobs.open(digest);
  if (blob) return blob;
  throw new EngineError("internal", `Read ${digest}: its blob is not there`);
}

function bytesFile(path: string, content: Uint8Array): TarFile {
  return { path, size: content.length, content };
}

function hexOf(digest: string): string {
  return digest.slice("sha256:".length);
}
