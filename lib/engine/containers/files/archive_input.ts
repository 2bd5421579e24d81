/** Archives of callers, on their way into a tree. */
import { pourThrough } from "../../../oci/bytes/byte_stream.ts";
import { archiveEntries } from "../../../oci/tar/archive_entries.ts";
import { LayerError } from "../../../oci/tar/layer_error.ts";
import type { Core } from "../../core.ts";
import { EngineError } from "../../errors.ts";
import { decompress } from "../../images/ingest/decompress.ts";

/** The most an archive may unpack to, in bytes: what file systems hold. */
export const CONTENT_LIMIT = 2 ** 44;

/**
 * The entries of an archive, plain or compressed, as `Trees.write` takes them. The stream fails with an error that
 * {@linkcode archiveFailure} translates.
 */
export async function archiveInput(
  core: Core,
  archive: ReadableStream<Uint8Array>,
  rename?: Record<string, string>,
): Promise<ReadableStream<Uint8Array>> {
  const plain = await decompress(core.ports.codec, archive);
  const bounds = { bytes: CONTENT_LIMIT, entries: core.options.limits.layerEntries };
  return pourThrough(plain, archiveEntries({ rename, ...bounds }));
}

/** The same error, and `invalid` for what is wrong with the archive itself. */
export function archiveFailure(error: unknown): unknown {
  if (!(error instanceof LayerError)) return error;
  const text = error.message.replace(/^Read (?:layer|archive)/, "reading tar stream");
  return new EngineError("invalid", text, { cause: error });
}
