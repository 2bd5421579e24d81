import type { Descriptor } from "../../../oci/descriptor.ts";
import { LAYER_TYPES, type ManifestFormat } from "../../../oci/manifest_writer.ts";
import { type Compression, layerCompression } from "../../../oci/media_type.ts";
import { repositoryName as repositoryOf } from "../../../oci/reference.ts";
import { EngineError } from "../../errors.ts";
import { countBytes, reportLayer } from "../layer_reports.ts";
import { decompress, through } from "../ingest/decompress.ts";
import { admit } from "../ingest/ingest.ts";
import type { PushState } from "../types.ts";
import type { PushChoice, PushContext, PushSource } from "./push_context.ts";

/**
 * Sends the layers of a manifest, a few at a time, and each only once. Returns the layers as the registry has them: others
 * than the source's where they were compressed anew. The first failure stops the others.
 */
export async function pushLayers(
  context: PushContext,
  source: PushSource,
  layers: readonly Descriptor[],
  format: ManifestFormat,
): Promise<Descriptor[]> {
  const stop = new AbortController();
  const own = { ...context, signal: AbortSignal.any([context.signal, stop.signal]) };
  const distinct = [...new Map(layers.map((layer) => [layer.digest, layer])).values()];
  const pushed = new Map<string, Descriptor>();
  for (const layer of distinct) reportLayer(context, layer, "waiting", 0);
  const waiting = distinct[Symbol.iterator]();
  const worker = async () => {
    // All workers take from one iterator.
    for (const layer of waiting) {
      own.signal.throwIfAborted();
      pushed.set(layer.digest, await pushLayer(own, source, layer, format));
    }
  };
  const failures: unknown[] = [];
  const workers = Array.from({ length: context.core.options.limits.parallelBlobs }, () =>
    worker().catch((error) => {
      failures.push(error);
      stop.abort(error);
    }));
  await Promise.all(workers);
  context.signal.throwIfAborted();
  if (failures.length > 0) throw failures[0];
  return layers.map((layer) => pushed.get(layer.digest) ?? layer);
}

/**
 * Sends one blob as it is.
 *
 * @param location Where an upload was begun already
 */
export async function pushBlob(
  context: PushContext,
  source: PushSource,
  descriptor: Descriptor,
  location?: URL,
): Promise<PushState> {
  const { core: { clock }, writer, target, places } = context;
  const tell = (current: number) => reportLayer(context, descriptor, "pushing", current);
  const outcome = await writer.blob(target, {
    ...lookedFor(context, source, descriptor),
    location,
    open: async (offset) => countBytes(await source.open(descriptor, offset), { clock, offset }, tell),
    onUpload: () => reportLayer(context, descriptor, "pushing", 0),
  });
  places.see(repositoryOf(target), [descriptor.digest]);
  return outcome === "sent" ? "done" : outcome;
}

async function pushLayer(
  context: PushContext,
  source: PushSource,
  layer: Descriptor,
  format: ManifestFormat,
): Promise<Descriptor> {
  const stated = layerCompression(layer.mediaType);
  const wanted = stated === undefined ? undefined : compressionOf(stated, context.choice, format);
  const isForeign = (layer.urls?.length ?? 0) > 0;
  if (isForeign) return layer;
  context.tell({ kind: "status", text: `Copying blob ${layer.digest}` });
  if (stated === undefined || wanted === undefined || wanted === stated) {
    reportLayer(context, layer, await pushBlob(context, source, layer), layer.size);
    return layer;
  }
  const known = await reusePacked(context, source, layer, wanted, format);
  if (known !== undefined && "digest" in known) return known;
  reportLayer(context, layer, "compressing", 0);
  const made = await compress(context, source, layer, wanted, format);
  const { blobs } = context.core.ports;
  const open = async ({ digest }: Descriptor, start: number) => {
    const stream = await blobs.open(digest, { start });
    if (stream === undefined) throw new EngineError("internal", `Push ${digest}: its blob is not there`);
    return stream;
  };
  reportLayer(context, layer, await pushBlob(context, { ...source, open }, made, known), layer.size);
  return made;
}

/**
 * Returns the blob that an earlier push made of the layer, where the registry has it; or the URL of an upload that began when the
 * registry was asked.
 */
async function reusePacked(
  context: PushContext,
  source: PushSource,
  layer: Descriptor,
  compression: Compression,
  format: ManifestFormat,
): Promise<Descriptor | URL | undefined> {
  const { places, writer, target } = context;
  const packed = places.packed(layer.digest, wayOf(context, compression));
  const mediaType = LAYER_TYPES[format][compression];
  if (packed === undefined || mediaType === undefined) return undefined;
  const reused = await writer.reuse(target, lookedFor(context, source, packed));
  if (reused !== "exists" && reused !== "mounted") return reused;
  places.see(repositoryOf(target), [packed.digest]);
  reportLayer(context, layer, reused, layer.size);
  return { mediaType, ...packed };
}

/** A blob, and where it may be in the target's registry. */
function lookedFor(
  { places, target, signal }: PushContext,
  source: PushSource,
  { digest, size }: Pick<Descriptor, "digest" | "size">,
) {
  const mountFrom = [...new Set([...places.repositories(target.domain, digest), ...source.mountFrom(digest)])];
  const onMissing = (path: string) => places.miss(repositoryOf({ domain: target.domain, path }), digest);
  return { digest, size, mountFrom, onMissing, signal };
}

/** Names a way of compression. */
function wayOf({ choice: { level } }: PushContext, compression: Compression): string {
  return level === undefined ? compression : `${compression} ${level}`;
}

/** How the layer has to be compressed. */
function compressionOf(is: Compression, { compression, force }: PushChoice, format: ManifestFormat): Compression {
  // Docker's format has no name for Zstandard; nobody sends plain tars.
  if (is === "none" || (is === "zstd" && format === "docker")) return compression ?? "gzip";
  return force ? compression ?? is : is;
}

async function compress(
  context: PushContext,
  source: PushSource,
  layer: Descriptor,
  compression: Compression,
  format: ManifestFormat,
): Promise<Descriptor> {
  const { core: { ports: { codec, blobs }, options }, choice: { level }, signal } = context;
  const mediaType = LAYER_TYPES[format][compression];
  if (mediaType === undefined) {
    throw new EngineError("invalid", `Push ${layer.digest}: format ${format} has no layers compressed with zstd`);
  }
  const plain = await decompress(codec, await source.open(layer, 0));
  const packed = through(codec, plain, compression === "zstd" ? codec.zstd(level) : codec.gzip(level));
  const { digest, size } = await blobs.put(packed, {
    limit: options.limits.layerBytes,
    admit: (digest) => admit(context, `blob:${digest}`),
    signal,
  });
  context.places.pack(layer.digest, wayOf(context, compression), { digest, size });
  return { mediaType, digest, size };
}
