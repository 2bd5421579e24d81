import type { ImageConfig } from "../../../oci/image_config.ts";
import { EngineError } from "../../errors.ts";
import type { ImageRecord } from "../../records/image_record.ts";
import { assembleImage } from "../store/assemble.ts";
import { applyChanges } from "../store/config_changes.ts";
import { decompress } from "../ingest/decompress.ts";
import { pullFailureOf } from "../failures.ts";
import type { ImageParts } from "../ingest/ingest.ts";

/** Options of {@linkcode importImage}. */
export interface ImportOptions {
  /** Instructions; see {@linkcode applyChanges}. */
  changes?: readonly string[];
  /** Becomes the comment of the image's history. */
  message?: string;
  /** Its name, as in `Images.tag`. */
  reference?: string;
  os?: string;
  architecture?: string;
  variant?: string;
  signal?: AbortSignal;
}

/** The event's name; in plain quotes it would look like an import to who walks the module graph. */
const ACTION = `import`;

/**
 * Makes an image of a root file system's tar, packed or plain: its only layer, kept as it is.
 *
 * @param source The tar, or where it is fetched from: an `http` or `https` URL
 */
export async function importImage(
  parts: ImageParts,
  source: ReadableStream<Uint8Array> | URL,
  { changes = [], message = "", reference, signal, ...platform }: ImportOptions & { signal: AbortSignal },
): Promise<ImageRecord> {
  const { ports, options, clock } = parts.core;
  let archive: ReadableStream<Uint8Array> | undefined;
  try {
    const config = applyChanges({}, changes);
    archive = source instanceof URL ? await download(parts, source, signal) : source;
    const tar = await decompress(ports.codec, archive);
    const created = new Date(clock.now()).toISOString();
    const { os, architecture } = options.defaultPlatform;
    const document: ImageConfig = {
      created,
      architecture: platform.architecture || architecture,
      os: platform.os || os,
      ...platform.variant && { variant: platform.variant },
      config,
      rootfs: { type: "layers", diff_ids: [] },
    };
    return await assembleImage(parts, {
      layers: [{ tar }],
      config: document,
      history: [{
        created,
        created_by: "/bin/sh -c #(nop) ADD file in /",
        comment: message || "imported from tarball",
      }],
      format: "oci",
      names: reference ? [reference] : [],
      compression: "none",
      action: ACTION,
      signal,
    });
  } catch (error) {
    if (source instanceof ReadableStream) archive = source;
    if (archive && !archive.locked) await archive.cancel().catch(() => {});
    throw pullFailureOf(error, signal);
  }
}

async function download(
  { core }: ImageParts,
  url: URL,
  signal: AbortSignal,
): Promise<ReadableStream<Uint8Array>> {
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw new EngineError("invalid", `Download image: "${url.protocol}" is neither http nor https`);
  }
  const response = await core.ports.net.fetch(new Request(url, { signal }));
  if (response.ok && response.body) return response.body;
  await response.body?.cancel();
  // The URL may hold a password.
  throw new EngineError("internal", `Download image of ${url.host}: HTTP status ${response.status}`);
}
