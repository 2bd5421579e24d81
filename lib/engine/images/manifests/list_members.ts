import type { Descriptor } from "../../../oci/descriptor.ts";
import { parseImageConfig } from "../../../oci/image_config.ts";
import { type Manifest, parseManifest } from "../../../oci/manifest.ts";
import { isImageConfigType } from "../../../oci/media_type.ts";
import { choosePlatform, platformOf } from "../../../oci/platform.ts";
import { formatReference, type Reference, repositoryName as repositoryOf } from "../../../oci/reference.ts";
import { type FetchedManifest, RegistryClient } from "../../../oci/registry/registry_client.ts";
import { EngineError } from "../../errors.ts";
import type { ImageRecord, ListEntry } from "../../records/image_record.ts";
import { claimBlobs } from "../store/content.ts";
import { pullFailure } from "../failures.ts";
import { admit, type Intake } from "../ingest/ingest.ts";
import { findImage } from "../store/lookup.ts";
import { candidatesOf } from "../pull/pull.ts";
import { registryOptions } from "../registry_options.ts";
import { registryReference } from "../transport.ts";
import type { RegistryAccess } from "../types.ts";

/** Options of {@linkcode findMembers}. */
export interface MemberOptions extends RegistryAccess {
  /** Of a list or index: all its entries, and not only this platform's. */
  all?: boolean;
}

const LOCAL = "containers-storage:";

/**
 * The entries that adding a name to a list means: of an image of the store, whose content is claimed, or of what a registry has
 * by that name, which stays there. The store comes first unless the name says `docker://` or all of an index is wanted.
 *
 * Throws `EngineError`: `no_such_image`, `invalid`, `registry`, `corrupt`.
 */
export async function findMembers(intake: Intake, text: string, options: MemberOptions): Promise<ListEntry[]> {
  if (text.startsWith(LOCAL)) return await localMembers(intake, findLocal(intake, text.slice(LOCAL.length)), options);
  const name = registryReference(text);
  const local = text.startsWith("docker://") ? undefined : lookLocal(intake, name);
  // An image of the store is only ever one of the index that it was pulled from.
  const isWhole = !options.all || local?.list !== undefined;
  if (local && isWhole) return await localMembers(intake, local, options);
  try {
    return await remoteMembers(intake, name, options);
  } catch (error) {
    if (local && pullFailure(error).code === "registry") return await localMembers(intake, local, options);
    throw error;
  }
}

/** The manifest a name stands for, as the subject of another. */
export async function findSubject(intake: Intake, text: string, access: RegistryAccess): Promise<Descriptor> {
  const local = text.startsWith("docker://") ? undefined : lookLocal(intake, text.replace(LOCAL, ""));
  if (local) return await descriptorOf(intake, local);
  const { manifest } = await fetchTop(intake, registryReference(text), access);
  const { mediaType, artifactType } = parseManifest(manifest.bytes, manifest.mediaType);
  const own = artifactType === undefined ? {} : { artifactType };
  return { mediaType, digest: manifest.digest, size: manifest.bytes.length, ...own };
}

async function localMembers(intake: Intake, image: ImageRecord, { all }: MemberOptions): Promise<ListEntry[]> {
  const { core, claim } = intake;
  claimBlobs(claim, image);
  if (image.list !== undefined) {
    const { entries } = image.list;
    for (const { blobs = [] } of entries) for (const blob of blobs) await admit(intake, `blob:${blob}`);
    if (all) return entries;
    const chosen = choosePlatform({ manifests: entries }, core.options.defaultPlatform);
    if (chosen) return [chosen];
    throw new EngineError("no_such_image", `${image.id}: no image of this platform in the manifest list`);
  }
  const blobs = [...new Set([image.digest, `sha256:${image.id}`, ...image.layers.map(({ digest }) => digest)])];
  for (const blob of blobs) await admit(intake, `blob:${blob}`);
  return [{ ...await descriptorOf(intake, image), platform: platformOf(image.config), blobs }];
}

async function descriptorOf({ core }: Intake, { id, digest, mediaType }: ImageRecord): Promise<Descriptor> {
  const stored = await core.ports.blobs.stat(digest);
  if (stored === undefined) throw new EngineError("internal", `Read image ${id}: its manifest is not in the store`);
  return { mediaType, digest, size: stored.size };
}

async function remoteMembers(intake: Intake, name: string, options: MemberOptions): Promise<ListEntry[]> {
  const { core } = intake;
  const { reference, manifest: top, client } = await fetchTop(intake, name, options);
  const source = repositoryOf(reference);
  const parsed = parseManifest(top.bytes, top.mediaType);
  if (parsed.kind === "manifest") {
    const platform = await platformIn(intake, client, reference, parsed);
    const own = parsed.artifactType === undefined ? {} : { artifactType: parsed.artifactType };
    const descriptor = { mediaType: parsed.mediaType, digest: top.digest, size: top.bytes.length, ...own };
    return [{ ...descriptor, ...(platform === undefined ? {} : { platform }), source }];
  }
  const chosen = options.all ? undefined : choosePlatform(parsed, core.options.defaultPlatform);
  if (!options.all && chosen === undefined) {
    const text = `choosing an image from manifest list docker://${
      formatReference(reference)
    }: no image found for this platform`;
    throw new EngineError("no_such_image", text);
  }
  return (chosen === undefined ? parsed.manifests : [chosen]).map((entry) => ({ ...entry, source }));
}

async function platformIn(
  { signal }: Intake,
  client: RegistryClient,
  reference: Reference,
  { config, artifactType }: Manifest,
): Promise<Descriptor["platform"]> {
  if (artifactType !== undefined || !isImageConfigType(config.mediaType)) return undefined;
  return platformOf(parseImageConfig(await client.blobBytes(reference, config, { signal })));
}

/** Fetches the manifest of a name from the first of its registries that has it. */
export async function fetchTop(
  { core, signal }: Intake,
  name: string,
  access: RegistryAccess,
): Promise<{ reference: Reference; manifest: FetchedManifest; client: RegistryClient }> {
  const references = candidatesOf(core, name);
  const others = (access.beside ?? []).flatMap((other) => registriesOf(core, other));
  const asked = [...references.map(({ domain }) => domain), ...others];
  const client = new RegistryClient(core.ports.net, registryOptions(core, access, asked));
  let failure: unknown;
  for (const reference of references) {
    try {
      return { reference, manifest: await client.manifest(reference, { signal }), client };
    } catch (error) {
      failure ??= pullFailure(error, `reading image "docker://${formatReference(reference)}"`);
    }
  }
  throw failure;
}

/** The registries that a name may mean; none where it is no registry's name. */
function registriesOf(core: Intake["core"], name: string): string[] {
  try {
    return candidatesOf(core, registryReference(name)).map(({ domain }) => domain);
  } catch {
    return [];
  }
}

function findLocal({ core, catalogue }: Intake, name: string): ImageRecord {
  return findImage(catalogue, core.options.registries, name.replace(/^@/, "")).image;
}

function lookLocal(intake: Intake, name: string): ImageRecord | undefined {
  try {
    return findLocal(intake, name);
  } catch (error) {
    if (error instanceof EngineError && error.code === "no_such_image") return undefined;
    throw error;
  }
}
