import type { Descriptor } from "../../../oci/descriptor.ts";
import { writeManifest } from "../../../oci/manifest_writer.ts";
import { MEDIA_TYPE } from "../../../oci/media_type.ts";
import type { ListEntry } from "../../records/image_record.ts";
import { admit, ingestDocument, type Intake } from "../ingest/ingest.ts";

/** A file of an artifact. */
export interface ArtifactFile {
  name: string;
  mediaType: string;
  content: ReadableStream<Uint8Array>;
}

/** How files become an artifact's manifest. */
export interface ArtifactOptions {
  /** `application/vnd.unknown.artifact.v1`, which ORAS uses. `""` leaves it out. */
  type?: string;
  /** Media type of the config. */
  configType?: string;
  /** The config itself; the empty one by default. */
  config?: string;
  /** No titles in the layers' annotations. */
  excludeTitles?: boolean;
  annotations?: Record<string, string>;
  subject?: Descriptor;
}

const TITLE = "org.opencontainers.image.title";
const UNKNOWN = "application/vnd.unknown.artifact.v1";

/** Stores files as the layers of an artifact's manifest (OCI image-spec, "Guidelines for Artifact Usage"); gives the list entry for it. */
export async function storeArtifact(
  intake: Intake,
  files: AsyncIterable<ArtifactFile>,
  options: ArtifactOptions,
): Promise<ListEntry> {
  const { blobs } = intake.core.ports;
  const layers: Descriptor[] = [];
  const names: string[] = [];
  for await (const { name, mediaType, content } of files) {
    const put = await blobs.put(content, {
      limit: intake.core.options.limits.layerBytes,
      signal: intake.signal,
      admit: (digest) => admit(intake, `blob:${digest}`),
    });
    names.push(name);
    layers.push({ mediaType, ...put, ...(options.excludeTitles ? {} : { annotations: { [TITLE]: name } }) });
  }
  const config = await storeConfig(intake, options);
  if (layers.length === 0) layers.push(config);
  const { type = UNKNOWN, annotations = {}, subject } = options;
  const bytes = writeManifest({
    kind: "manifest",
    mediaType: MEDIA_TYPE.ociManifest,
    ...(type === "" ? {} : { artifactType: type }),
    config,
    layers,
    annotations,
    ...(subject === undefined ? {} : { subject }),
  });
  const manifest = await ingestDocument(intake, bytes, MEDIA_TYPE.ociManifest);
  const own = type === "" ? {} : { artifactType: type };
  const kept = [manifest, config, ...layers].map(({ digest }) => digest);
  return { ...manifest, ...own, files: names, blobs: [...new Set(kept)] };
}

/** The empty object stands for no config; a config of no other type is an image's. */
async function storeConfig(intake: Intake, { config = "", configType = "" }: ArtifactOptions): Promise<Descriptor> {
  const usual = config === "" ? MEDIA_TYPE.ociEmpty : MEDIA_TYPE.ociConfig;
  const bytes = new TextEncoder().encode(config === "" ? "{}" : config);
  const descriptor = await ingestDocument(intake, bytes, configType === "" ? usual : configType);
  return config === "" && configType === "" ? { ...descriptor, data: "e30=" } : descriptor;
}
