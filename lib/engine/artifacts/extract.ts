import { type TarFile, tarStream } from "../../oci/tar/tar_entries.ts";
import { artifactBlobs, type ArtifactRecord } from "../records/artifact_record.ts";
import { EngineError } from "../errors.ts";
import type { ImageParts } from "../images/ingest/ingest.ts";
import { whileClaimed } from "../images/archive/while_claimed.ts";
import { TITLE } from "./add.ts";
import { chooseFile, fileName } from "./artifact_files.ts";

/** Which of an artifact's files are taken out. */
export interface ExtractOptions {
  /** The one with this digest. */
  digest?: string;
  /** The one with this title. */
  title?: string;
  /** A single file comes without a name. */
  excludeTitle?: boolean;
}

/**
 * An artifact's files as a tar, all or the one that is asked for. They stay until the stream has ended, whatever is removed
 * meanwhile.
 *
 * Throws `EngineError`: `invalid` for a choice that fits none or several, and for titles that are no file names.
 */
export function extractFiles(
  parts: ImageParts,
  artifact: ArtifactRecord,
  options: ExtractOptions,
): ReadableStream<Uint8Array> {
  const { digest = "", title = "", excludeTitle = false } = options;
  if (digest !== "" && title !== "") throw new EngineError("invalid", "cannot specify both digest and title");
  const { layers } = artifact.manifest;
  if (layers.length === 0) throw new EngineError("invalid", "the artifact has no blobs, nothing to extract");
  const one = digest !== "" || title !== ""
    ? chooseFile(layers, { digest, title })
    : layers.length === 1
    ? layers[0]
    : undefined;
  const files = (one ? [one] : layers).map((layer) => ({
    layer,
    name: one && excludeTitle ? "" : fileName(digest !== "" ? "" : layer.annotations?.[TITLE] ?? "", layer.digest),
  }));
  const claim = parts.content.claim();
  for (const digest of artifactBlobs(artifact)) claim.add(`blob:${digest}`);
  const { blobs } = parts.core.ports;
  return whileClaimed(
    claim,
    tarStream((async function* (): AsyncGenerator<TarFile> {
      for (const { layer: { digest, size }, name } of files) {
        const content = async () => {
          const blob = await blobs.open(digest);
          if (blob) return blob;
          throw new EngineError("internal", `Read ${digest}: its blob is not there`);
        };
        yield { path: name, size, mode: 0o600, content };
      }
    })()),
  );
}
