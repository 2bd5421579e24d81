import type { Descriptor } from "../../../oci/descriptor.ts";
import { type ImageConfig, parseImageConfig } from "../../../oci/image_config.ts";
import { type Index, type Manifest, parseManifest } from "../../../oci/manifest.ts";
import { isImageConfigType, layerCompression } from "../../../oci/media_type.ts";
import { choosePlatform } from "../../../oci/platform.ts";
import { format, name as repositoryOf, type Reference } from "../../../oci/reference.ts";
import type { FetchedManifest, RegistryClient } from "../../../oci/registry/registry_client.ts";
import { type Core, hostOf } from "../../core.ts";
import { EngineError } from "../../errors.ts";
import type { ImageRecord } from "../../records/image_record.ts";
import type { Limits, Platform } from "../../options.ts";
import type { Blobs } from "../../ports/ports.ts";
import { BlobPlaces } from "../store/blob_places.ts";
import type { Catalogue } from "../store/catalogue.ts";
import type { Claim, Content, Fate } from "../store/content.ts";
import { isRefusal, pullFailure, pullFailureOf } from "../failures.ts";
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
  for (const document of source.documents) await storeDocument(context, document);
  const places = new BlobPlaces(core);
  places.see(repositoryOf(reference), [`sha256:${record.id}`, ...record.layers.map(({ digest }) => digest)]);
  await catalogue.add({
    record,
    names: [format(reference)],
    operations: [...content.keepSizes(record.layers.map(({ diffID }) => diffID)), ...places.operations()],
    claim,
  });
  return record.id;
}

async function fetchManifest(context: FetchContext): Promise<Source> {
  const { core, reference, platform } = context;
  const { limits } = core.options;
  const top = await request(context, reference);
  const parsed = parse(top, limits);
  if (parsed.kind === "manifest") return { manifest: parsed, documents: [top] };
  const chosen = choose(parsed, platform, reference);
  const { tag: _tag, ...rest } = reference;
  const inner = await request(context, { ...rest, digest: chosen.digest });
  if (inner.bytes.length !== chosen.size) {
    throw new EngineError("corrupt", `Fetch ${chosen.digest}: ${inner.bytes.length} bytes, expected ${chosen.size}`);
  }
  const manifest = parse({ ...inner, mediaType: inner.mediaType || chosen.mediaType }, limits);
  if (manifest.kind === "manifest") return { manifest, documents: [inner, top] };
  throw new EngineError("unsupported", `Fetch ${format(reference)}: an index within an index`);
}

async function request({ client, signal }: FetchContext, reference: Reference): Promise<FetchedManifest> {
  try {
    return await client.manifest(reference, { signal });
  } catch (error) {
    throw pullFailure(error, `initializing source docker://${format(reference)}`);
  }
}

function parse({ bytes, mediaType, digest }: FetchedManifest, limits: Limits): Manifest | Index {
  if (bytes.length <= limits.manifestBytes) return parseManifest(bytes, mediaType);
  throw new EngineError("limit", `Fetch ${digest}: a manifest of ${bytes.length} bytes`);
}

function choose(index: Index, platform: Platform, reference: Reference): Descriptor {
  const chosen = choosePlatform(index, platform);
  if (chosen) return chosen;
  const { architecture, variant = "", os } = platform;
  const wish = `architecture "${architecture}", variant "${variant}", OS "${os}"`;
  const text = `choosing an image from manifest list docker://${format(reference)}`;
  throw new EngineError("no_such_image", `${text}: no image found in manifest list for ${wish}`);
}

/** Refuses manifests of what is no image, or of one that could not be stored or mounted. */
export function checkManifest({ config, layers }: Manifest, limits: Limits): void {
  if (!isImageConfigType(config.mediaType)) {
    throw new EngineError("unsupported", `Fetch image: it is an artifact of type "${config.mediaType}"`);
  }
  if (layers.length > limits.layers) {
    throw new EngineError("limit", `Fetch image: ${layers.length} layers, at most ${limits.layers} can be mounted`);
  }
  if (config.size > limits.manifestBytes) {
    throw new EngineError("limit", `Fetch image: a config of ${config.size} bytes`);
  }
  const foreign = layers.find(({ mediaType }) => layerCompression(mediaType) === undefined);
  if (foreign) throw new EngineError("unsupported", `Fetch image: "${foreign.mediaType}" is no layer's media type`);
  const elsewhere = layers.find(({ mediaType }) => /nondistributable|\.foreign\./.test(mediaType));
  if (elsewhere) {
    throw new EngineError("unsupported", `Fetch image: "${elsewhere.mediaType}" is a layer that is not distributed`);
  }
  const other = [config, ...layers].find(({ digest }) => !digest.startsWith("sha256:"));
  if (other) throw new EngineError("unsupported", `Fetch image: digest "${other.digest}" is not a sha256 one`);
}

/** Config and layers; what comes back lacks only its names. */
async function fetchContent(context: FetchContext, { manifest, documents }: Source): Promise<ImageRecord> {
  const { core, content, reference } = context;
  const config = await fetchConfig(context, manifest.config);
  const diffIDs = config.rootfs.diff_ids;
  if (diffIDs.length !== manifest.layers.length) {
    const counts = `${manifest.layers.length} layers in the manifest, ${diffIDs.length} in the config`;
    throw new EngineError("corrupt", `Fetch image: ${counts}`);
  }
  const layers = manifest.layers.map((descriptor, i) => ({ descriptor, diffID: diffIDs[i] }));
  await fetchLayers(context, layers);
  const isUnpacked = hostOf(core) !== undefined;
  const size = layers.reduce(
    (sum, { descriptor, diffID }) => sum + ((isUnpacked ? content.layerSize(diffID) : undefined) ?? descriptor.size),
    0,
  );
  return {
    id: manifest.config.digest.slice("sha256:".length),
    digest: documents[0].digest,
    mediaType: manifest.mediaType,
    repoDigests: documents.map(({ digest }) => `${repositoryOf(reference)}@${digest}`),
    names: [],
    history: [],
    pulledAt: new Date(core.clock.now()).toISOString(),
    layers: layers.map(({ descriptor: { digest, size, mediaType }, diffID }) => ({ digest, size, mediaType, diffID })),
    size,
    config,
    annotations: manifest.annotations,
  };
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

async function storeDocument({ core, content, claim }: FetchContext, document: FetchedManifest): Promise<void> {
  const { bytes, digest } = document;
  const { blobs } = core.ports;
  claim.add(`blob:${digest}`);
  await content.with(`blob:${digest}`, async () => {
    if (!await blobs.stat(digest)) await putBytes(blobs, bytes, digest);
  });
}

async function putBytes(blobs: Blobs, bytes: Uint8Array, digest: string): Promise<void> {
  // Copied into a buffer of its own: a Blob takes no shared one.
  await blobs.put(new Blob([bytes.slice()]).stream(), { digest, size: bytes.length });
}
