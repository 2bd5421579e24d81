import { hexText } from "../../../oci/bytes/bytes.ts";
import { MANIFEST_LIMITS, parseManifest } from "../../../oci/manifest.ts";
import { MEDIA_TYPE } from "../../../oci/media_type.ts";
import { parseReference, repositoryName as repositoryOf } from "../../../oci/reference.ts";
import { EngineError } from "../../errors.ts";
import type { ImageList, ImageRecord } from "../../records/image_record.ts";
import type { InputLimits } from "../../options.ts";
import { keysOf } from "../store/content.ts";
import { isThere, unknownImage } from "../failures.ts";
import { type ImageParts, ingestDocument, type Intake, withIntake } from "../ingest/ingest.ts";
import { findImage, nameForTag } from "../store/lookup.ts";
import { ProgressFeed } from "../pull/progress_feed.ts";
import { targetOf } from "../push/push.ts";
import type { PushOptions, PushProgress, RegistryAccess } from "../types.ts";
import { type ArtifactFile, type ArtifactOptions, storeArtifact } from "./add_artifact.ts";
import { addEntries, annotateEntry, type EntryAnnotations, removeEntry } from "./annotate.ts";
import { writeList } from "./list_document.ts";
import { fetchTop, findMembers, findSubject, type MemberOptions } from "./list_members.ts";
import { pushList } from "./push_list.ts";
import { isSHA256 } from "../../../oci/digest.ts";

/** The annotations and the subject of a list as a whole. */
export interface ListAnnotations {
  annotations?: Record<string, string>;
  /** A name, in the store or a registry, of what the list is about. */
  subject?: string;
}

/** Options of {@linkcode ManifestLists.create}. */
export interface CreateListOptions extends MemberOptions, ListAnnotations {
  images?: readonly string[];
  /** A list of that name is gone on with. */
  amend?: boolean;
  signal?: AbortSignal;
}

/** Options of {@linkcode ManifestLists.add}. */
export interface AddOptions extends MemberOptions {
  /** The annotations of each image added. */
  entry?: EntryAnnotations;
  list?: ListAnnotations;
  signal?: AbortSignal;
}

/** Runs work that the engine stops when it closes. */
export type Track = <T>(signal: AbortSignal | undefined, start: (signal: AbortSignal) => Promise<T>) => Promise<T>;

/** Manifest lists (OCI image indexes) that are made here: images under names of their own, of which no container is made directly. */
export class ManifestLists {
  readonly #parts: ImageParts;
  readonly #track: Track;

  constructor(parts: ImageParts, track: Track) {
    this.#parts = parts;
    this.#track = track;
  }

  /** The list of that name or ID. Throws `no_such_image` for none, and for an image that is no list. */
  find(nameOrID: string): Readonly<ImageRecord> & { list: ImageList } {
    const { core, catalogue } = this.#parts;
    const { image } = findImage(catalogue, core.options.registries, nameOrID);
    const { list } = image;
    if (list !== undefined) return { ...image, list };
    throw new EngineError("no_such_image", `${nameOrID}: image is not a manifest list`);
  }

  /** Whether there is one. */
  exists(nameOrID: string): boolean {
    return isThere(() => this.find(nameOrID));
  }

  /** Makes a list and gives its ID. Throws `EngineError("name_in_use")`, or what adding the images throws: then there is no list. */
  async create(name: string, options: CreateListOptions = {}): Promise<string> {
    const fullName = nameForTag(name);
    const known = this.#parts.catalogue.named(fullName);
    if (known !== undefined && options.amend && known.list !== undefined) {
      return await this.#change(known.id, options.signal, (intake, list) => this.#filled(intake, list, options));
    }
    if (known !== undefined) throw nameInUse(fullName);
    const { core } = this.#parts;
    const id = hexText(core.random.bytes(32));
    return await this.#intake(options.signal, async (intake) => {
      const list = await this.#filled(intake, { entries: [], annotations: {} }, options);
      const { bytes, mediaType } = encodeList(list, core.options.limits);
      const { digest } = await ingestDocument(intake, bytes, mediaType);
      const now = new Date(core.clock.now()).toISOString();
      await intake.catalogue.add({
        record: {
          id,
          digest,
          mediaType,
          repoDigests: [`${withoutTag(fullName)}@${digest}`],
          names: [],
          history: [],
          pulledAt: now,
          layers: [],
          size: bytes.length,
          config: { architecture: "", os: "", created: now, rootfs: { type: "layers", diff_ids: [] } },
          annotations: list.annotations,
          list,
        },
        names: [fullName],
        operations: [],
        claim: intake.claim,
        check: () => {
          if (this.#parts.catalogue.named(fullName) !== undefined) throw nameInUse(fullName);
        },
      });
      return id;
    });
  }

  /** Adds images by name, of the store or a registry; gives the list's ID. */
  async add(nameOrID: string, images: readonly string[], options: AddOptions = {}): Promise<string> {
    const { entry = {}, list: whole = {}, signal } = options;
    return await this.#change(this.find(nameOrID).id, signal, async (intake, list) => {
      let changed = list;
      const access = { ...options, beside: images };
      for (const image of images) {
        const members = await findMembers(intake, image, access);
        changed = addEntries(changed, members);
        // Of several from one index, the first is meant, as in Podman.
        if (members.length > 0) changed = annotateEntry(changed, members[0].digest, entry);
      }
      return await this.#annotated(intake, changed, whole, options);
    });
  }

  /** Adds files as an artifact; gives the list's ID and the artifact's digest. */
  async addArtifact(
    nameOrID: string,
    files: AsyncIterable<ArtifactFile>,
    { subject, entry = {}, list: whole = {}, signal, ...options }:
      & Omit<ArtifactOptions, "subject">
      & Omit<AddOptions, "all">
      & { subject?: string },
  ): Promise<string> {
    return await this.#change(this.find(nameOrID).id, signal, async (intake, list) => {
      const about = subject === undefined ? {} : { subject: await findSubject(intake, subject, options) };
      const artifact = await storeArtifact(intake, files, { ...options, ...about });
      const changed = annotateEntry(addEntries(list, [artifact]), artifact.digest, entry);
      return await this.#annotated(intake, changed, whole, options);
    });
  }

  /** Says something of one entry (by digest, or the name of its image or file); gives the list's ID. */
  async annotateEntry(nameOrID: string, image: string, said: EntryAnnotations): Promise<string> {
    return await this.#change(this.find(nameOrID).id, undefined, async (intake, list) => {
      return annotateEntry(list, await this.#digestOf(intake, list, image), said);
    });
  }

  /** Says something of the list as a whole; gives its ID. */
  async annotate(nameOrID: string, said: ListAnnotations, access: RegistryAccess = {}): Promise<string> {
    return await this.#change(this.find(nameOrID).id, undefined, (intake, list) => {
      return this.#annotated(intake, list, said, access);
    });
  }

  /** Takes an entry out; gives the list's ID. */
  async removeEntry(nameOrID: string, digest: string): Promise<string> {
    return await this.#change(
      this.find(nameOrID).id,
      undefined,
      (_, list) => Promise.resolve(removeEntry(list, digest)),
    );
  }

  /**
   * Pushes a list and tells how it goes, as {@linkcode Images.push} does. With `all` every entry goes along; without, the
   * registry must have them.
   */
  push(nameOrID: string, options: PushOptions = {}): AsyncIterableIterator<PushProgress, undefined> {
    const push = (tell: (progress: PushProgress) => void, signal: AbortSignal) =>
      this.#track(signal, async (signal) => {
        const image = this.find(nameOrID);
        const target = targetOf(options.destination ?? nameOrID);
        const select = options.all ? "all" : "list";
        await pushList(this.#parts, { image, list: image.list, target, select, options }, tell, signal);
      });
    return new ProgressFeed(push, options.signal);
  }

  /** Returns a list by name: the store's, or else a registry's. */
  async inspect(
    name: string,
    { signal, ...access }: RegistryAccess & { signal?: AbortSignal } = {},
  ): Promise<{ list: ImageList; mediaType: string }> {
    if (this.exists(name)) {
      const { list, mediaType } = this.find(name);
      return { list, mediaType };
    }
    return await this.#intake(signal, async (intake) => {
      const { manifest } = await fetchTop(intake, name, access);
      const parsed = parseManifest(manifest.bytes, manifest.mediaType);
      if (parsed.kind === "index") {
        const { manifests: entries, annotations, subject, mediaType } = parsed;
        return { list: { entries, annotations, ...subject && { subject } }, mediaType };
      }
      // Podman tells of Docker's single images as of lists that are empty.
      if (parsed.mediaType === MEDIA_TYPE.dockerManifest) {
        return { list: { entries: [], annotations: {} }, mediaType: parsed.mediaType };
      }
      throw new EngineError("no_such_image", `${name}: "${parsed.mediaType}" is not a manifest list`);
    });
  }

  async #filled(intake: Intake, list: ImageList, options: CreateListOptions): Promise<ImageList> {
    let filled = list;
    const { images = [] } = options;
    const access = { ...options, beside: images };
    for (const image of images) filled = addEntries(filled, await findMembers(intake, image, access));
    return await this.#annotated(intake, filled, options, options);
  }

  async #annotated(
    intake: Intake,
    list: ImageList,
    { annotations = {}, subject }: ListAnnotations,
    access: RegistryAccess,
  ): Promise<ImageList> {
    const about = subject ? { subject: await findSubject(intake, subject, access) } : {};
    return { ...list, annotations: { ...list.annotations, ...annotations }, ...about };
  }

  async #digestOf(intake: Intake, list: ImageList, image: string): Promise<string> {
    if (isSHA256(image)) return image;
    const file = image.slice(image.lastIndexOf("/") + 1);
    const artifact = list.entries.find(({ files = [] }) => files.includes(image) || files.includes(file));
    return artifact?.digest ?? (await findSubject(intake, image, {})).digest;
  }

  /** Changes a list: one change at a time, and all of it or nothing. */
  async #change(
    id: string,
    signal: AbortSignal | undefined,
    change: (intake: Intake, list: ImageList) => Promise<ImageList>,
  ): Promise<string> {
    const { core, catalogue, content } = this.#parts;
    return await this.#intake(signal, (intake) =>
      core.locks.with(`list:${id}`, async () => {
        const list = await change(intake, this.find(id).list);
        const { bytes, mediaType } = encodeList(list, core.options.limits);
        const { digest } = await ingestDocument(intake, bytes, mediaType);
        const { annotations } = list;
        const old = await catalogue.update(id, (image) => {
          const repoDigests = [...new Set(image.names.map((name) => `${withoutTag(name)}@${digest}`))];
          return { ...image, list, digest, mediaType, annotations, repoDigests, size: bytes.length };
        });
        if (old === undefined) throw unknownImage(id);
        await content.release(keysOf(old), "delete");
        return id;
      }, intake.signal));
  }

  #intake<T>(signal: AbortSignal | undefined, work: (intake: Intake) => Promise<T>): Promise<T> {
    return this.#track(signal, (signal) => withIntake(this.#parts, { signal, what: "Change manifest list" }, work));
  }
}

/** A list's bytes; no more than a registry takes and a pull reads. */
function encodeList(list: ImageList, { manifestBytes }: InputLimits): { bytes: Uint8Array; mediaType: string } {
  const written = writeList(list);
  const { manifests } = MANIFEST_LIMITS;
  if (list.entries.length <= manifests && written.bytes.length <= manifestBytes) return written;
  throw new EngineError("limit", `Change manifest list: more than ${manifests} entries or ${manifestBytes} bytes`);
}

function withoutTag(name: string): string {
  return repositoryOf(parseReference(name));
}

function nameInUse(name: string): EngineError {
  return new EngineError("name_in_use", `image name "${name}": that name is already in use`, {
    sentinel: "that name is already in use",
  });
}
