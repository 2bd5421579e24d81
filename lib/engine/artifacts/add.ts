import type { Descriptor } from "../../oci/descriptor.ts";
import type { Manifest } from "../../oci/manifest.ts";
import { writeManifest } from "../../oci/manifest_writer.ts";
import { MEDIA_TYPE } from "../../oci/media_type.ts";
import type { ArtifactRecord } from "../records/artifact_record.ts";
import { EngineError } from "../errors.ts";
import { peek } from "../images/ingest/decompress.ts";
import { admit, type ImageParts, ingestDocument, type Intake, withIntake } from "../images/ingest/ingest.ts";
import { artifactName, type ArtifactStore, noSuchArtifact } from "./artifact_store.ts";
import { contentType, SNIFFED } from "./content_type.ts";

/** Options of {@linkcode addFile}. */
export interface AddArtifactOptions {
  /** The file goes to those the artifact has; without it a name that is taken is an error. */
  append?: boolean;
  /** The file takes the place of all that the artifact has, if there is one. */
  replace?: boolean;
  /** The artifact's type, of a new one. */
  type?: string;
  /** The file's type; by what it begins with when absent. */
  fileType?: string;
  /** Of the file, and of a new artifact. */
  annotations?: Record<string, string>;
  signal?: AbortSignal;
}

/** The annotation that holds a file's name. */
export const TITLE = "org.opencontainers.image.title";
const CREATED = "org.opencontainers.image.created";

/** OCI's empty config, which is in the descriptor, too. */
const EMPTY = new TextEncoder().encode("{}");

/**
 * Adds a file to an artifact. It is there when all of the file is; when that fails nothing of it stays.
 *
 * Throws `EngineError`: `invalid`, `name_in_use` for an artifact or file that is there already, `no_such_artifact`.
 */
export async function addFile(
  parts: ImageParts,
  store: ArtifactStore,
  text: string,
  file: { name: string; open(): Promise<ReadableStream<Uint8Array>> },
  { signal, ...options }: AddArtifactOptions & { signal: AbortSignal },
): Promise<ArtifactRecord> {
  const name = artifactName(text);
  checkOptions(options);
  // Told before the file is read, and asked again after it.
  baseManifest(store, name, file.name, options);
  return await withIntake(parts, { signal, what: "Add artifact" }, async (intake) => {
    const layer = await storeFile(intake, file, options);
    const record = await store.with(name, async () => {
      const record = await writeArtifact(intake, name, layer, baseManifest(store, name, file.name, options), options);
      await store.put(record);
      return record;
    }, signal);
    parts.core.events.emit({ type: "artifact", action: "add", id: record.digest, name });
    return record;
  });
}

function checkOptions({ append, replace, type }: AddArtifactOptions): void {
  if (append && type) throw new EngineError("invalid", "append option is not compatible with type option");
  if (append && replace) throw new EngineError("invalid", "append and replace options are mutually exclusive");
}

/** Returns the manifest that the file is added to; `undefined` for an artifact that is new or replaced. */
function baseManifest(
  store: ArtifactStore,
  name: string,
  file: string,
  { append, replace, annotations }: AddArtifactOptions,
): Manifest | undefined {
  const known = store.named(name);
  if (replace) return undefined;
  if (!append) {
    if (!known) return undefined;
    const sentinel = "artifact already exists";
    throw new EngineError("name_in_use", `${name}: ${sentinel}`, { sentinel });
  }
  if (!known) throw noSuchArtifact(name);
  const title = annotations?.[TITLE];
  const titles = known.manifest.layers.map((layer) => layer.annotations?.[TITLE]);
  if (titles.includes(file)) {
    const sentinel = "file already exists in artifact";
    throw new EngineError("name_in_use", `${file}: ${sentinel}`, { sentinel });
  }
  if (title !== undefined && titles.includes(title)) {
    throw new EngineError("name_in_use", `duplicate layers ${TITLE} labels within an artifact not allowed`);
  }
  return known.manifest;
}

async function storeFile(
  intake: Intake,
  file: { name: string; open(): Promise<ReadableStream<Uint8Array>> },
  { fileType, annotations = {} }: AddArtifactOptions,
): Promise<Descriptor> {
  const { core: { ports: { blobs }, options: { limits } }, signal } = intake;
  const { head, stream } = await peek(await file.open(), SNIFFED);
  const { digest, size } = await blobs.put(stream, {
    limit: limits.layerBytes,
    signal,
    admit: (digest) => admit(intake, `blob:${digest}`),
  });
  return {
    mediaType: fileType || contentType(head),
    digest,
    size,
    annotations: { [TITLE]: file.name, ...annotations },
  };
}

async function writeArtifact(
  intake: Intake,
  name: string,
  layer: Descriptor,
  known: Manifest | undefined,
  { type, annotations }: AddArtifactOptions,
): Promise<ArtifactRecord> {
  const manifest = known ?? await emptyArtifact(intake, type, annotations);
  // The new manifest names the artifact's present blobs too: claim them before the old manifest goes.
  for (const { digest } of [manifest.config, ...manifest.layers]) await admit(intake, `blob:${digest}`);
  const whole = { ...manifest, layers: [...manifest.layers, layer] };
  const { digest } = await ingestDocument(intake, writeManifest(whole), whole.mediaType);
  return { name, digest, manifest: whole };
}

async function emptyArtifact(
  intake: Intake,
  type: string | undefined,
  annotations: Record<string, string> = {},
): Promise<Manifest> {
  const config = await ingestDocument(intake, EMPTY, MEDIA_TYPE.ociEmpty);
  return {
    kind: "manifest",
    mediaType: MEDIA_TYPE.ociManifest,
    ...type ? { artifactType: type } : {},
    config: { ...config, data: btoa("{}") },
    layers: [],
    annotations: { ...annotations, [CREATED]: new Date(intake.core.clock.now()).toISOString() },
  };
}
