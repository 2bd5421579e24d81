/**
 * Content on its way into the store, from a registry, an archive or a build: layers, configs and manifests, claimed from the
 * moment they can be seen.
 *
 * @module
 */
import type { Descriptor } from "../../../oci/descriptor.ts";
import { LAYER_TYPES, type ManifestFormat } from "../../../oci/manifest_writer.ts";
import { type Core, hostOf } from "../../core.ts";
import type { Blobs, FileWriter } from "../../ports/ports.ts";
import { EngineError } from "../../errors.ts";
import type { Catalogue } from "../store/catalogue.ts";
import type { Claim, Content, ContentKey } from "../store/content.ts";
import type { EarlyLayers } from "./early_layers.ts";
import { pullFailure } from "../failures.ts";
import { type PackedLayer, unpackLayer } from "./unpack.ts";

/** The parts of the engine that making an image changes. */
export interface ImageParts {
  core: Core;
  catalogue: Catalogue;
  content: Content;
}

/** The context of an intake. */
export interface Intake extends ImageParts {
  /** Keeps what came until a record names it. */
  claim: Claim;
  signal: AbortSignal;
  /** Layers that are unpacked while more is read. */
  early?: EarlyLayers;
}

/** A layer that an image is to get. */
export interface NewLayer {
  /** A plain OCI changeset tar (`.wh.` whiteouts). */
  tar: ReadableStream<Uint8Array>;
  /**
   * Makes the files that the tar was read from the unpacked layer of this diff ID, in place of unpacking it. Resolves with whether
   * it did; absent where the files are not to be had.
   */
  adopt?(diffID: string): Promise<boolean>;
  /** Writes the tar into a file of this machine, in place of its reading; absent where it comes from elsewhere. */
  writeTo?: FileWriter;
}

/** A layer as an image's record has it. */
export interface StoredLayer extends PackedLayer {
  /** Bytes of the blob. */
  size: number;
  mediaType: string;
}

/**
 * Runs work that brings content in; what no record names when it ends goes again. Failures come out as `EngineError`, as
 * `cancelled` once the signal is aborted.
 *
 * @param what Begins the message of a cancelled work
 */
export async function withIntake<T>(
  parts: ImageParts,
  { signal, what }: { signal: AbortSignal; what: string },
  work: (intake: Intake) => Promise<T>,
): Promise<T> {
  const claim = parts.content.claim();
  try {
    signal.throwIfAborted();
    return await work({ ...parts, claim, signal });
  } catch (error) {
    const failure = pullFailure(error);
    if (!signal.aborted || failure.code === "cancelled") throw failure;
    throw new EngineError("cancelled", `${what} cancelled: ${failure.message}`, { cause: error });
  } finally {
    await claim.end("delete");
  }
}

/** Stores a layer, compressed or as it is, and unpacks it where there is a host. */
export async function storeLayer(
  intake: Intake,
  { tar, adopt, writeTo }: NewLayer,
  { compression, format }: { compression: "gzip" | "none"; format: ManifestFormat },
): Promise<StoredLayer> {
  const { core: { ports, options }, signal } = intake;
  const limit = options.limits.layerBytes;
  const admitted = { signal, admit: (digest: string) => admit(intake, `blob:${digest}`) };
  const mediaType = LAYER_TYPES[format][compression];
  if (compression === "none") {
    // No bytes pass through this process where another one can write them.
    const { digest, size } = writeTo && ports.blobs.fill
      ? await ports.blobs.fill(writeTo, { ...admitted, limit })
      : await ports.blobs.put(tar, { ...admitted, limit });
    const layer = { digest, diffID: digest, size, mediaType };
    await unpackOnce(intake, layer, { instead: async () => await adopt?.(digest) ? { size } : undefined });
    return layer;
  }
  let diffID = "";
  const measured = tar.pipeThrough(measure(intake, limit, (digest) => diffID = digest));
  const { digest, size } = await ports.blobs.put(measured.pipeThrough(ports.codec.fastGzip()), admitted);
  return await ingestLayer(intake, { digest, diffID, size, mediaType });
}

/** Unpacks a stored and claimed layer where there is a host and it is not unpacked yet; gives it back. */
export async function ingestLayer<T extends PackedLayer>(intake: Intake, layer: T): Promise<T> {
  await unpackOnce(intake, layer);
  return layer;
}

/** Choices for {@linkcode unpackOnce}. */
export interface UnpackOnceOptions {
  /** Called when the work begins. */
  begin?: () => void;
  /** Has the layer's files come from elsewhere. Resolves with the bytes of the plain tar, or `undefined` where it has none. */
  instead?: () => Promise<{ size: number } | undefined>;
}

/** Does so and resolves with whether this call unpacked it. */
export async function unpackOnce(
  intake: Intake,
  { digest, diffID }: PackedLayer,
  { begin, instead }: UnpackOnceOptions = {},
): Promise<boolean> {
  const { core, content, claim, signal } = intake;
  const layers = hostOf(core)?.layers;
  claim.add(`layer:${diffID}`);
  if (!layers) return false;
  await intake.early?.settled(digest);
  return await content.with(`layer:${diffID}`, async () => {
    if (await layers.has(diffID)) return false;
    begin?.();
    const { limits } = core.options;
    await using _ = await content.syncs.note(diffID, digest);
    const { size } = await instead?.() ??
      await unpackLayer(core.ports, layers, { digest, diffID }, { limits, signal });
    content.setLayerSize(diffID, size);
    return true;
  }, signal);
}

/** Stores a config or manifest; gives its descriptor. */
export async function ingestDocument(intake: Intake, bytes: Uint8Array, mediaType: string): Promise<Descriptor> {
  const descriptor = await describeDocument(intake, bytes, mediaType);
  await storeDocument(intake, bytes, descriptor);
  return descriptor;
}

/** Gives the descriptor of a config or manifest, which is not stored yet. */
export async function describeDocument(
  { core }: Pick<Intake, "core">,
  bytes: Uint8Array,
  mediaType: string,
): Promise<Descriptor> {
  const hash = core.ports.codec.hash();
  hash.update(bytes);
  return { mediaType, digest: await hash.digest(), size: bytes.length };
}

/** Stores a config or manifest under the digest that it is known to have. */
export async function storeDocument(
  intake: Intake,
  bytes: Uint8Array,
  { digest }: Pick<Descriptor, "digest">,
): Promise<void> {
  const { core: { ports: { blobs } }, content } = intake;
  await admit(intake, `blob:${digest}`);
  await content.with(`blob:${digest}`, async () => {
    if (!await blobs.stat(digest)) await putBytes(blobs, bytes, digest);
  }, intake.signal);
}

/** Puts bytes of a known digest into the store. */
export async function putBytes(blobs: Blobs, bytes: Uint8Array, digest: string): Promise<void> {
  // Copied into a buffer of its own: a Blob takes no shared one.
  await blobs.put(new Blob([bytes.slice()]).stream(), { digest, size: bytes.length });
}

/** Claims content; when this resolves, nobody who thought it was not needed is still deleting it. */
export async function admit({ claim, signal }: Intake, key: ContentKey): Promise<void> {
  await claim.admit(key, signal);
}

function measure(
  { core: { ports } }: Intake,
  limit: number,
  tell: (digest: string) => void,
): TransformStream<Uint8Array, Uint8Array> {
  const hash = ports.codec.hash();
  let size = 0;
  return new TransformStream({
    async transform(chunk, controller) {
      size += chunk.length;
      if (size > limit) throw new EngineError("limit", `Store layer: more than the ${limit} bytes allowed`);
      await hash.update(chunk);
      controller.enqueue(chunk);
    },
    flush: async () => tell(await hash.digest()),
  });
}
