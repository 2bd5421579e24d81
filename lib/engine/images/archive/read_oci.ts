/**
 * Reading images of OCI's layout, and of the folders of containers/image's `dir:`.
 *
 * @module
 */
import type { Descriptor } from "../../../oci/descriptor.ts";
import { parseImageConfig } from "../../../oci/image_config.ts";
import type { Index, Manifest } from "../../../oci/manifest.ts";
import { isIndexType, MEDIA_TYPE } from "../../../oci/media_type.ts";
import { choosePlatform } from "../../../oci/platform.ts";
import { EngineError } from "../../errors.ts";
import { ingestDocument, ingestLayer, type Intake } from "../ingest/ingest.ts";
import { checkContent } from "../../text/wrong_content.ts";
import { checkAlgorithm, checkManifest, diffIDsOf, missingPlatform, parseDocument } from "../ingest/image_rules.ts";
import { inParallel } from "../../concurrency.ts";
import type { NewImage } from "../ingest/new_image.ts";
import { brokenArchive, type ImageFiles, readBlob } from "./image_files.ts";

/** An image of an archive, and what it is called there. */
export interface ReadImage {
  image: NewImage;
  names: string[];
}

/** Most images of one archive. */
export const MAX_IMAGES = 256;

/** The annotations that hold an image's name: containerd's, which is whole, before OCI's. */
const NAME_ANNOTATIONS = ["io.containerd.image.name", "org.opencontainers.image.ref.name"];
/** Indexes within indexes. */
const DEPTH = 4;

/** Stores every image that a layout's `index.json` lists. */
export async function readLayout(intake: Intake, files: ImageFiles, bytes: Uint8Array): Promise<ReadImage[]> {
  const index = parseDocument(bytes, MEDIA_TYPE.ociIndex, intake.core.options.limits);
  // Attestations stand beside the images they are about.
  const descriptors = index.kind === "index" ? index.manifests.filter((one) => !isAttestation(one)) : [];
  if (descriptors.length === 0) throw brokenArchive("its index lists no image");
  if (descriptors.length > MAX_IMAGES) {
    throw new EngineError("limit", `Read archive: more than ${MAX_IMAGES} images`);
  }
  const images = new Map<string, ReadImage>();
  for (const descriptor of descriptors) {
    const annotations = descriptor.annotations ?? {};
    const name = NAME_ANNOTATIONS.map((key) => annotations[key]).find((text) => text);
    const read = images.get(descriptor.digest) ?? { image: await readOne(intake, files, descriptor), names: [] };
    if (name) read.names.push(name);
    images.set(descriptor.digest, read);
  }
  return [...images.values()];
}

/** Stores the image of a `dir:` folder: `manifest.json`, and blobs named by their digests' digits. */
export async function readDir(intake: Intake, files: ImageFiles, bytes: Uint8Array): Promise<ReadImage> {
  const document = parseDocument(bytes, undefined, intake.core.options.limits);
  if (document.kind !== "manifest") {
    throw new EngineError("unsupported", "Read archive: a folder that holds an index");
  }
  const { digest } = await ingestDocument(intake, bytes, document.mediaType);
  const pathOf = (digest: string) => digest.slice("sha256:".length);
  return { image: await readContent(intake, files, document, { documents: [digest], pathOf }), names: [] };
}

async function readOne(intake: Intake, files: ImageFiles, descriptor: Descriptor): Promise<NewImage> {
  const documents: string[] = [];
  for (let current = descriptor; documents.length < DEPTH;) {
    const bytes = await readDocument(intake, files, current);
    const document = parseDocument(bytes, current.mediaType, intake.core.options.limits);
    documents.unshift((await ingestDocument(intake, bytes, document.mediaType)).digest);
    if (document.kind === "manifest") {
      return await readContent(intake, files, document, { documents, pathOf: blobPath });
    }
    current = choose(intake, document);
  }
  throw new EngineError("limit", `Read archive: more than ${DEPTH} indexes within indexes`);
}

async function readDocument(intake: Intake, files: ImageFiles, { digest, size }: Descriptor): Promise<Uint8Array> {
  checkAlgorithm({ digest });
  const path = blobPath(digest);
  const bytes = await files.read(path, intake.core.options.limits.manifestBytes);
  if (!bytes) throw brokenArchive(`there is no file "${path}"`);
  const hash = intake.core.ports.codec.hash();
  hash.update(bytes);
  checkContent({ digest, size }, { digest: await hash.digest(), size: bytes.length });
  return bytes;
}

function choose(intake: Intake, index: Index): Descriptor {
  const wish = intake.core.options.defaultPlatform;
  const images = index.manifests.filter((one) => !isAttestation(one));
  // An index of one image need not say what that runs on.
  const chosen = choosePlatform(index, wish) ?? (images.length === 1 ? images[0] : undefined);
  if (chosen) return chosen;
  throw new EngineError("no_such_image", `Read archive: ${missingPlatform(wish)}`);
}

/** Config and layers of a manifest, as they are. */
async function readContent(
  intake: Intake,
  files: ImageFiles,
  manifest: Manifest,
  { documents, pathOf }: { documents: string[]; pathOf(digest: string): string },
): Promise<NewImage> {
  const { ports: { blobs }, options: { limits } } = intake.core;
  checkManifest(manifest, limits);
  const store = ({ digest, size }: Descriptor) => files.store(pathOf(digest), { digest, size });
  await store(manifest.config);
  const config = parseImageConfig(await readBlob(blobs, manifest.config.digest, limits.manifestBytes));
  const diffIDs = diffIDsOf(config, manifest.layers.length);
  const layers = await inParallel(manifest.layers, limits.parallelBlobs, async (descriptor, i) => {
    await store(descriptor);
    const { digest, size, mediaType } = descriptor;
    return await ingestLayer(intake, { digest, size, mediaType, diffID: diffIDs[i] });
  });
  const { mediaType, annotations } = manifest;
  return {
    config,
    configDigest: manifest.config.digest,
    manifest: { digest: documents[0], mediaType, annotations },
    documents,
    layers,
  };
}

function isAttestation({ annotations = {}, mediaType, platform }: Descriptor): boolean {
  if (annotations["vnd.docker.reference.type"] === "attestation-manifest") return true;
  return platform?.os === "unknown" && !isIndexType(mediaType);
}

function blobPath(digest: string): string {
  return `blobs/sha256/${digest.slice("sha256:".length)}`;
}
