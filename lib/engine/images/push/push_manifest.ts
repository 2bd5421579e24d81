import type { Descriptor } from "../../../oci/descriptor.ts";
import { type Manifest, parseManifest } from "../../../oci/manifest.ts";
import { convertManifest, formatOf, writeManifest } from "../../../oci/manifest_writer.ts";
import { isImageConfigType } from "../../../oci/media_type.ts";
import type { Reference } from "../../../oci/reference.ts";
import { EngineError } from "../../errors.ts";
import type { PushContext, PushSource } from "./push_context.ts";
import { pushBlob, pushLayers } from "./push_layers.ts";

/**
 * Sends one manifest with its config and layers, and stores it under the reference's tag, or under its digest where there is none. Gives
 * its descriptor there. A manifest that nothing changes about goes byte for byte.
 */
export async function pushManifest(
  context: PushContext,
  source: PushSource,
  reference: Reference,
): Promise<Descriptor> {
  const { tell, writer, signal } = context;
  const manifest = parseManifest(source.bytes, source.mediaType);
  if (manifest.kind === "index") {
    throw new EngineError("unsupported", `Push ${source.digest}: an index within an index`);
  }
  const wanted = await sendContent(context, source, manifest);
  const bytes = wanted === manifest ? source.bytes : writeManifest(wanted);
  tell({ kind: "status", text: "Writing manifest to image destination" });
  const { digest } = await writer.manifest(reference, { bytes, mediaType: wanted.mediaType }, { signal });
  return { mediaType: wanted.mediaType, digest, size: bytes.length };
}

/** Sends layers and config; gives the manifest that tells of them, the same object where nothing changed. */
async function sendContent(context: PushContext, source: PushSource, manifest: Manifest): Promise<Manifest> {
  const { choice, tell } = context;
  // Only an image has another family, and only its files are layers to compress.
  const isImage = isImageConfigType(manifest.config.mediaType);
  const own = formatOf(manifest.mediaType);
  const format = isImage ? choice.format ?? (choice.compression === "zstd" ? "oci" : own) : own;
  const pushed = await pushLayers(
    isImage ? context : { ...context, choice: { force: false } },
    source,
    manifest.layers,
    format,
  );
  const isSame = pushed.every((layer, i) => layer === manifest.layers[i]);
  tell({ kind: "status", text: `Copying config ${manifest.config.digest}` });
  // Clients draw layers; a config is among the words.
  await pushBlob({ ...context, tell: () => {} }, source, manifest.config);
  return convertManifest(isSame ? manifest : { ...manifest, layers: pushed }, format);
}
