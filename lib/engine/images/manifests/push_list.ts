import { isIndexType } from "../../../oci/media_type.ts";
import { choosePlatform } from "../../../oci/platform.ts";
import { formatReference, parseReference, type Reference } from "../../../oci/reference.ts";
import { RegistryClient } from "../../../oci/registry/registry_client.ts";
import { RegistryWriter } from "../../../oci/registry/registry_writer.ts";
import { EngineError } from "../../errors.ts";
import type { ImageList, ImageRecord, ListEntry } from "../../records/image_record.ts";
import { BlobPlaces } from "../store/blob_places.ts";
import { claimBlobs } from "../store/content.ts";
import { type ImageParts, type Intake, withIntake } from "../ingest/ingest.ts";
import { localSource } from "../push/local_source.ts";
import { choiceOf, type PushContext, type PushSource } from "../push/push_context.ts";
import { pushManifest } from "../push/push_manifest.ts";
import { registryOptions } from "../registry_options.ts";
import type { PushOptions, PushProgress } from "../types.ts";
import { listFormat, writeList } from "./list_document.ts";

/** The inputs of a list's push. */
export interface ListPush {
  image: ImageRecord;
  list: ImageList;
  target: Reference;
  /**
   * `all` sends every entry and then the list; `list` sends the list alone, whose entries the registry must have; `one`
   * sends the entry of this platform in its place.
   */
  select: "all" | "list" | "one";
  options: PushOptions;
}

/** Pushes a manifest list. Entries that are in registries go from there to the target without being kept. */
export async function pushList(
  parts: ImageParts,
  { image, list, target, select, options }: ListPush,
  tell: (progress: PushProgress) => void,
  signal: AbortSignal,
): Promise<void> {
  const { core } = parts;
  const choice = choiceOf(options);
  checkFormat(list, options);
  const writer = new RegistryWriter(core.ports.net, registryOptions(core, options, [target.domain]));
  await withIntake(parts, { signal, what: "Push" }, async (intake) => {
    claimBlobs(intake.claim, image);
    const places = new BlobPlaces(core);
    const context: PushContext = { ...intake, writer, target, choice, places, tell };
    const done = async ({ digest, size }: { digest: string; size: number }) => {
      await core.state.commit(places.operations());
      core.events.emit({ type: "image", action: "push", id: image.id, name: formatReference(target) });
      tell({ kind: "done", digest, size, name: formatReference(target) });
    };
    if (select === "one") {
      const chosen = choosePlatform({ manifests: list.entries }, core.options.defaultPlatform);
      if (!chosen) {
        throw new EngineError("no_such_image", `${image.id}: no image of this platform in the manifest list`);
      }
      return await done(await pushManifest(context, await sourceOf(intake, chosen, target, options), target));
    }
    const entries = select === "all" ? await pushEntries(context, list.entries, options) : list.entries;
    const sent: ImageList = { ...list, entries };
    const { bytes, mediaType } = writeList(sent, options.format ?? listFormat(sent));
    tell({ kind: "status", text: "Writing manifest list to image destination" });
    const { digest } = await writer.manifest(target, { bytes, mediaType }, { signal });
    await done({ digest, size: bytes.length });
  });
}

async function pushEntries(
  context: PushContext,
  entries: readonly ListEntry[],
  options: PushOptions,
): Promise<ListEntry[]> {
  const { target: { domain, path }, tell } = context;
  const sent: ListEntry[] = [];
  const variants: ListEntry[] = [];
  tell({ kind: "status", text: "Getting image list signatures" });
  tell({ kind: "status", text: `Copying ${entries.length} images generated from ${entries.length} images in list` });
  for (const [i, entry] of entries.entries()) {
    tell({ kind: "status", text: `Copying image ${entry.digest} (${i + 1}/${entries.length})` });
    if (isIndexType(entry.mediaType)) {
      throw new EngineError("unsupported", `Push ${entry.digest}: an index within an index`);
    }
    const source = await sourceOf(context, entry, context.target, options);
    // Under its own digest: only the list has the name.
    const { mediaType, digest, size } = await pushManifest(context, source, { domain, path });
    sent.push({ ...entry, mediaType, digest, size });
    if (entry.artifactType === undefined) variants.push(...await pushVariants(context, source, sent[i], options));
  }
  return [...sent, ...variants];
}

/** How clients that can read Zstandard know such an entry; those that cannot take the one without. */
const ZSTD_ANNOTATION = { "io.github.containers.compression.zstd": "true" };

/** The image of an entry, compressed in other ways besides. */
async function pushVariants(
  context: PushContext,
  source: PushSource,
  entry: ListEntry,
  { addCompression = [] }: PushOptions,
): Promise<ListEntry[]> {
  const { target: { domain, path }, choice } = context;
  const variants: ListEntry[] = [];
  for (const compression of new Set(addCompression)) {
    const own = { ...context, choice: { ...choice, compression, force: true } };
    const { mediaType, digest, size } = await pushManifest(own, source, { domain, path });
    // It was compressed so already.
    if (digest === entry.digest) continue;
    const annotations = { ...entry.annotations, ...(compression === "zstd" ? ZSTD_ANNOTATION : {}) };
    variants.push({ ...entry, mediaType, digest, size, annotations });
  }
  return variants;
}

async function sourceOf(
  intake: Intake,
  entry: ListEntry,
  target: Reference,
  options: PushOptions,
): Promise<PushSource> {
  if (entry.source === undefined) return await localSource(intake, entry, target.domain);
  const { core, signal } = intake;
  // An entry may be in another registry: what was brought for the target is not for that one.
  const client = new RegistryClient(core.ports.net, registryOptions(core, options, [target.domain]));
  const reference = { ...parseReference(entry.source), digest: entry.digest };
  const { bytes, mediaType, digest } = await client.manifest(reference, { signal });
  return {
    bytes,
    mediaType: mediaType || entry.mediaType,
    digest,
    open: (descriptor, offset) => client.blob(reference, descriptor, { offset, signal }),
    mountFrom: () => reference.domain === target.domain ? [reference.path] : [],
  };
}

function checkFormat({ entries, annotations, subject }: ImageList, { format, addCompression }: PushOptions): void {
  if (format !== "docker") return;
  if (addCompression?.includes("zstd")) choiceOf({ format, compression: "zstd" });
  const isArtifact = entries.some(({ artifactType }) => artifactType !== undefined);
  const isAnnotated = Object.keys(annotations).length > 0 || subject !== undefined ||
    entries.some((entry) => Object.keys(entry.annotations ?? {}).length > 0);
  if (!isArtifact && !isAnnotated) return;
  const what = isArtifact ? "artifacts" : "annotations";
  throw new EngineError("invalid", `Docker's manifest list (format v2s2) holds no ${what}: use format oci`);
}
