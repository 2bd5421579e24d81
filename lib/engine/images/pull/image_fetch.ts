import type { Descriptor } from "../../../oci/descriptor.ts";
import { type ImageConfig, parseImageConfig } from "../../../oci/image_config.ts";
import type { Index, Manifest } from "../../../oci/manifest.ts";
import { choosePlatform } from "../../../oci/platform.ts";
import { formatReference, type Reference, repositoryName as repositoryOf } from "../../../oci/reference.ts";
import type { FetchedManifest, RegistryClient } from "../../../oci/registry/registry_client.ts";
import { inParallel } from "../../concurrency.ts";
import type { Core } from "../../core.ts";
import { EngineError } from "../../errors.ts";
import type { ImageRecord } from "../../records/image_record.ts";
import type { Platform } from "../../options.ts";
import { checkSize } from "../../text/wrong_content.ts";
import { BlobPlaces } from "../store/blob_places.ts";
import type { Catalogue } from "../store/catalogue.ts";
import type { Claim, Content, Fate } from "../store/content.ts";
import { isRefusal, pullFailure, pullFailureOf } from "../failures.ts";
import { checkManifest, diffIDsOf, missingPlatform, parseDocument } from "../ingest/image_rules.ts";
import { ingestDocument, putBytes } from "../ingest/ingest.ts";
import { type NewImage, newRecord } from "../ingest/new_image.ts";
import { fetchLayers } from "./layer_fetch.ts";
import type { PullProgress } from "../types.ts";

/** The context of one pull, whatever images it fetches. */
export interface PullContext {
  core: Core;
  catalogue: Catalogue;
  content: Content;
  client: RegistryClient;
  platform: Platform;
  tell(progress: PullProgress): void;
  signal: AbortSignal;
}

/** The context of one image's fetch. */
export interface FetchContext extends PullContext {
  reference: Reference;
  /** Keeps what is fetched until a record names it. */
  claim: Claim;
}

/** The manifest of one image, and the index it was chosen from. */
interface Source {
  manifest: Manifest;
  /** The manifest itself first, then its index. */
  documents: FetchedManifest[];
}

/**
 * Fetches the image of one full reference: manifest, config, layers. Its record appears when all of it is there and checked;
 * when that fails, nothing of it stays but what a next try can go on from. Gives the image's ID.
 */
export async function fetchImage(pull: PullContext, reference: Reference): Promise<string> {
  const claim = pull.content.claim();
  let fate: Fate = "restage";
  try {
    const id = await fetchClaimed({ ...pull, reference, claim });
    // The image is complete: no next try needs content that only another form of the image had.
    fate = "delete";
    return id;
  } catch (error) {
    const failure = pullFailureOf(error, pull.signal);
    // Bad content is not worth keeping.
    if (isRefusal(failure)) fate = "delete";
    throw failure;
  } finally {
    await claim.end(fate);
  }
}

async function fetchClaimed(context: FetchContext): Promise<string> {
  const { core, catalogue, content, claim, reference, tell } = context;
  const source = await fetchManifest(context);
  checkManifest(source.manifest, core.options.limits);
  tell({ kind: "status", text: "Getting image source signatures" });
  const record = await fetchContent(context, source);
  tell({ kind: "status", text: "Writing manifest to image destination" });
  const { documents } = source;
  await inParallel(documents, documents.length, ({ bytes, mediaType }) => ingestDocument(context, bytes, mediaType));
  const places = new BlobPlaces(core);
  places.see(repositoryOf(reference), [`sha256:${record.id}`, ...record.layers.map(({ digest }) => digest)]);
  await catalogue.add({
    record,
    names: [formatReference(reference)],
    operations: [...content.keepSizes(record.layers.map(({ diffID }) => diffID)), ...places.operations()],
    claim,
  });
  return record.id;
}

async function fetchManifest(context: FetchContext): Promise<Source> {
  const { core, reference, platform } = context;
  const { limits } = core.options;
  const top = await request(context, reference);
  const parsed = parseDocument(top.bytes, top.mediaType, limits);
  if (parsed.kind === "manifest") return { manifest: parsed, documents: [top] };
  const chosen = choose(parsed, platform, reference);
  const { tag: _tag, ...rest } = reference;
  const inner = await request(context, { ...rest, digest: chosen.digest });
  checkSize(chosen, inner.bytes.length);
  const manifest = parseDocument(inner.bytes, inner.mediaType || chosen.mediaType, limits);
  if (manifest.kind === "manifest") return { manifest, documents: [inner, top] };
  throw new EngineError("unsupported", `Fetch ${formatReference(reference)}: an index within an index`);
}

async function request({ client, signal }: FetchContext, reference: Reference): Promise<FetchedManifest> {
  try {
    return await client.manifest(reference, { signal });
  } catch (error) {
    throw pullFailure(error, `initializing source docker://${formatReference(reference)}`);
  }
}

function choose(index: Index, platform: Platform, reference: Reference): Descriptor {
  const chosen = choosePlatform(index, platform);
  if (chosen) return chosen;
  const text = `choosing an image from manifest list docker://${formatReference(reference)}`;
  throw new EngineError("no_such_image", `${text}: ${missingPlatform(platform)}`);
}

/** Config and layers; what comes back lacks only its names. */
async function fetchContent(context: FetchContext, { manifest, documents }: Source): Promise<ImageRecord> {
  const { reference } = context;
  const config = await fetchConfig(context, manifest.config);
  const diffIDs = diffIDsOf(config, manifest.layers.length);
  const layers = manifest.layers.map((descriptor, i) => ({ descriptor, diffID: diffIDs[i] }));
  await fetchLayers(context, layers);
  const image: NewImage = {
    config,
    configDigest: manifest.config.digest,
    manifest: { digest: documents[0].digest, mediaType: manifest.mediaType, annotations: manifest.annotations },
    documents: documents.map(({ digest }) => digest),
    layers: layers.map(({ descriptor: { digest, size, mediaType }, diffID }) => ({ digest, size, mediaType, diffID })),
  };
  const repoDigests = image.documents.map((digest) => `${repositoryOf(reference)}@${digest}`);
  return { ...newRecord(context, image), repoDigests };
}

async function fetchConfig(context: FetchContext, descriptor: Descriptor): Promise<ImageConfig> {
  const { core, content, client, claim, reference, tell, signal } = context;
  const { blobs } = core.ports;
  const { digest } = descriptor;
  tell({ kind: "status", text: `Copying config ${digest}` });
  claim.add(`blob:${digest}`);
  return await content.with(`blob:${digest}`, async () => {
    const stored = await blobs.open(digest);
    if (stored) return parseImageConfig(new Uint8Array(await new Response(stored).arrayBuffer()));
    const bytes = await client.blobBytes(reference, descriptor, { signal, limit: core.options.limits.manifestBytes });
    const config = parseImageConfig(bytes);
    await putBytes(blobs, bytes, digest);
    return config;
  }, signal);
}
