/**
 * Artifacts from and to registries.
 *
 * @module
 */
import type { Descriptor } from "../../oci/descriptor.ts";
import { parseManifest } from "../../oci/manifest.ts";
import { parseReference, repositoryName as repositoryOf } from "../../oci/reference.ts";
import { RegistryClient } from "../../oci/registry/registry_client.ts";
import { RegistryWriter } from "../../oci/registry/registry_writer.ts";
import type { ArtifactRecord } from "../records/artifact_record.ts";
import { EngineError } from "../errors.ts";
import { BlobPlaces } from "../images/store/blob_places.ts";
import { pullFailure } from "../images/failures.ts";
import { admit, type ImageParts, ingestDocument, type Intake, withIntake } from "../images/ingest/ingest.ts";
import { localSource } from "../images/push/local_source.ts";
import { pushManifest } from "../images/push/push_manifest.ts";
import { registryOptions } from "../images/registry_options.ts";
import type { RegistryAccess } from "../images/types.ts";
import { artifactName, type ArtifactStore } from "./artifact_store.ts";
import { fromBase64 } from "../../oci/bytes/base64.ts";

/** Options of both ways. */
export interface TransferOptions extends RegistryAccess {
  signal?: AbortSignal;
}

/** Pulls an artifact by its full name; one that has this name already goes. */
export async function pullArtifact(
  parts: ImageParts,
  store: ArtifactStore,
  text: string,
  { signal, ...access }: TransferOptions & { signal: AbortSignal },
): Promise<ArtifactRecord> {
  const name = artifactName(text);
  const reference = parseReference(name);
  const client = new RegistryClient(parts.core.ports.net, registryOptions(parts.core, access, [reference.domain]));
  return await withIntake(parts, { signal, what: "Pull artifact" }, async (intake) => {
    const { bytes, mediaType, digest } = await client.manifest(reference, { signal }).catch((error) => {
      throw pullFailure(error, `initializing source docker://${name}`);
    });
    const manifest = parseManifest(bytes, mediaType);
    if (manifest.kind === "index") {
      throw new EngineError("unsupported", `Pull ${name}: it is an index, not an artifact`);
    }
    for (const descriptor of [manifest.config, ...manifest.layers]) {
      await fetchBlob(intake, descriptor, () => client.blob(reference, descriptor, { signal }));
    }
    await ingestDocument(intake, bytes, manifest.mediaType);
    const places = new BlobPlaces(parts.core);
    places.see(repositoryOf(reference), [manifest.config, ...manifest.layers].map((blob) => blob.digest));
    await parts.core.state.commit(places.operations());
    const record = { name, digest, manifest };
    await store.with(name, () => store.put(record), signal);
    parts.core.events.emit({ type: "artifact", action: "pull", id: digest, name });
    return record;
  });
}

/** Pushes an artifact to where its name says, byte for byte. */
export async function pushArtifact(
  parts: ImageParts,
  record: ArtifactRecord,
  { signal, ...access }: TransferOptions & { signal: AbortSignal },
): Promise<string> {
  const { core } = parts;
  const target = parseReference(record.name);
  const writer = new RegistryWriter(core.ports.net, registryOptions(core, access, [target.domain]));
  return await withIntake(parts, { signal, what: "Push artifact" }, async (intake) => {
    const source = await localSource(
      intake,
      { digest: record.digest, mediaType: record.manifest.mediaType },
      target.domain,
    );
    const places = new BlobPlaces(core);
    const context = { ...intake, writer, target, choice: { force: false }, places, tell: () => {} };
    const { digest } = await pushManifest(context, source, target);
    await core.state.commit(places.operations());
    core.events.emit({ type: "artifact", action: "push", id: digest, name: record.name });
    return digest;
  });
}

async function fetchBlob(
  intake: Intake,
  { digest, size, data }: Descriptor,
  open: () => Promise<ReadableStream<Uint8Array>>,
): Promise<void> {
  const { core: { ports: { blobs }, options: { limits } }, content, signal } = intake;
  if (!digest.startsWith("sha256:")) {
    throw new EngineError("unsupported", `Pull artifact: digest "${digest}" is not a sha256 one`);
  }
  if (size > limits.layerBytes) throw new EngineError("limit", `Pull artifact: a file of ${size} bytes`);
  await admit(intake, `blob:${digest}`);
  await content.with(`blob:${digest}`, async () => {
    if (await blobs.stat(digest)) return;
    const stream = data === undefined ? await open() : embeddedStream(data);
    await blobs.put(stream, { digest, size, signal });
  }, signal);
}

/** Content that its descriptor holds; what it says it is is checked as it is stored. */
function embeddedStream(data: string): ReadableStream<Uint8Array> {
  try {
    return new Blob([fromBase64(data)]).stream();
  } catch (cause) {
    throw new EngineError("corrupt", "Pull artifact: a descriptor's data is not base64", { cause });
  }
}
