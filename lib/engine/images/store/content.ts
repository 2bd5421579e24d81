import { artifactBlobs, type ArtifactRecord } from "../../records/artifact_record.ts";
import type { ContainerRecord } from "../../records/container_record.ts";
import { inParallel } from "../../concurrency.ts";
import { type Core, hostOf } from "../../core.ts";
import type { ImageRecord } from "../../records/image_record.ts";
import { keptBlobs, type KeptFolderRecord } from "../../records/kept_folder_record.ts";
import type { VolumeRecord } from "../../records/volume_record.ts";
import type { Index, Operation, Table } from "../../store/table.ts";
import { LayerSyncs } from "./layer_syncs.ts";

/** The parts of the core that the content of images needs. */
export type ContentCore = Pick<Core, "ports" | "state" | "intents" | "clock" | "locks" | "log">;

/** How many blobs and layers are deleted at once: most of it is waiting for the disk, and one commit ends several. */
const RELEASES = 8;

/** One thing images are made of: a blob by its digest, or an unpacked layer by its diff ID. */
export type ContentKey = `blob:${string}` | `layer:${string}`;

/** The fate of content that is not needed any more. */
export type Fate =
  /** Blobs go back to be staged, so that the next try need not fetch them. */
  | "restage"
  | "delete";

/**
 * The blobs and unpacked layers that images, containers, volumes and folders of builds share. Each is needed while a record names it or a claim holds
 * it; what is not goes. A key is locked while its content is made or deleted, so that nothing is made twice at once, and
 * nothing goes between "it is there" and its use.
 */
export class Content {
  /** Makes unpacked layers durable. */
  readonly syncs: LayerSyncs;
  readonly #core: ContentCore;
  readonly #images: Index<ImageRecord>;
  readonly #artifacts: Index<ArtifactRecord>;
  readonly #containers: Index<ContainerRecord>;
  readonly #volumes: Index<VolumeRecord>;
  readonly #folders: Index<KeptFolderRecord>;
  readonly #sizes: Table<{ size: number }>;
  /** Sizes of layers no image names yet. */
  readonly #newSizes = new Map<string, number>();
  readonly #claims = new Map<ContentKey, number>();

  constructor(core: ContentCore) {
    this.#core = core;
    this.syncs = new LayerSyncs(core);
    this.#images = core.state.table<ImageRecord>("images").index(keysOf);
    this.#artifacts = core.state.table<ArtifactRecord>("artifacts").index((record) =>
      artifactBlobs(record).map((digest) => `blob:${digest}`)
    );
    this.#containers = core.state.table<ContainerRecord>("containers").index((record) =>
      record.diffIDs.map((diffID) => `layer:${diffID}`)
    );
    this.#volumes = core.state.table<VolumeRecord>("volumes").index(({ archives = [] }) =>
      archives.map(({ digest }) => `blob:${digest}`)
    );
    this.#folders = core.state.table<KeptFolderRecord>("keptFolders").index((record) =>
      keptBlobs(record).map((digest) => `blob:${digest}`)
    );
    this.#sizes = core.state.table<{ size: number }>("layers");
  }

  /** A claim on content about to be made or named by a record. */
  claim(): Claim {
    return new Claim(this);
  }

  /** Runs `fn` while nobody else makes or deletes this content. */
  with<T>(key: ContentKey, fn: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    return this.#core.locks.with(key, fn, signal);
  }

  /** How many images share a blob or layer. */
  usersOf(key: ContentKey): number {
    return this.#images.all(key).length;
  }

  /** Bytes of an unpacked layer. */
  layerSize(diffID: string): number | undefined {
    return this.#newSizes.get(diffID) ?? this.#sizes.get(diffID)?.size;
  }

  /** Notes the size of a layer just unpacked. */
  setLayerSize(diffID: string, size: number): void {
    this.#newSizes.set(diffID, size);
  }

  /** The operations that make the sizes of an image's layers last. */
  keepSizes(diffIDs: readonly string[]): Operation[] {
    return [...new Set(diffIDs)].flatMap((diffID) => {
      const size = this.#newSizes.get(diffID);
      return size === undefined ? [] : [this.#sizes.put(diffID, { size })];
    });
  }

  /** Deletes what nobody needs, of these. Returns the keys of what went. */
  async release(keys: Iterable<ContentKey>, fate: Fate): Promise<ContentKey[]> {
    const gone: ContentKey[] = [];
    await inParallel([...new Set(keys)], RELEASES, async (key) => {
      // Whoever claims it releases it again: no need to wait until that pull is done with it.
      if (this.isNeeded(key)) return;
      await this.with(key, async () => {
        if (this.isNeeded(key)) return;
        await this.#discard(key, fate);
        gone.push(key);
      });
    });
    return gone;
  }

  /** Deletes everything that nobody needs: what a crash left. */
  async sweep(): Promise<void> {
    const { blobs } = this.#core.ports;
    const layers = hostOf(this.#core)?.layers;
    for await (const { digest } of blobs.list()) await this.release([`blob:${digest}`], "restage");
    for (const diffID of await layers?.list() ?? []) await this.release([`layer:${diffID}`], "restage");
    const gone = this.#sizes.keys().filter((diffID) => !this.isNeeded(`layer:${diffID}`));
    await this.#core.state.commit(gone.map((diffID) => this.#sizes.drop(diffID)));
  }

  /** Throws away the parts of transfers that were cut, but for those that somebody goes on with now. */
  async unstage(): Promise<void> {
    const { blobs } = this.#core.ports;
    for (const digest of await blobs.listStaged()) {
      const key: ContentKey = `blob:${digest}`;
      // A claim comes before the lock under which it is asked what is staged.
      if (this.isNeeded(key)) continue;
      await this.with(key, async () => {
        if (!this.isNeeded(key)) await blobs.unstage(digest);
      });
    }
  }

  /** @internal */
  hold(key: ContentKey): void {
    this.#claims.set(key, (this.#claims.get(key) ?? 0) + 1);
  }

  /** @internal */
  letGo(key: ContentKey): void {
    const count = this.#claims.get(key) ?? 0;
    if (count > 1) this.#claims.set(key, count - 1);
    else this.#claims.delete(key);
  }

  /** Whether a record names it, or a claim holds it. */
  isNeeded(key: ContentKey): boolean {
    const users = [this.#images, this.#artifacts, this.#containers, this.#volumes, this.#folders];
    return this.#claims.has(key) || users.some((index) => index.get(key) !== undefined);
  }

  async #discard(key: ContentKey, fate: Fate): Promise<void> {
    const { blobs } = this.#core.ports;
    const digest = key.slice(key.indexOf(":") + 1);
    if (key.startsWith("layer:")) {
      await hostOf(this.#core)?.layers.remove(digest);
      this.#newSizes.delete(digest);
      if (this.#sizes.has(digest)) await this.#core.state.commit([this.#sizes.drop(digest)]);
      return;
    }
    // Only the blob makes it sure that a layer is whole which is not on the disk yet.
    if (this.syncs.from(digest).some((diffID) => this.isNeeded(`layer:${diffID}`))) await this.syncs.settle();
    if (fate === "restage") {
      await blobs.restage(digest);
    } else {
      await blobs.delete(digest);
      await blobs.unstage(digest);
    }
  }
}

/** Holds all the blobs an image is made of, at once: nothing of it may go between being found and being used. */
export function claimBlobs(claim: Claim, image: ImageRecord): void {
  for (const key of keysOf(image)) if (key.startsWith("blob:")) claim.add(key);
}

/** Keeps content from going while its record is not there yet. */
export class Claim {
  readonly #content: Content;
  readonly #keys = new Set<ContentKey>();

  constructor(content: Content) {
    this.#content = content;
  }

  /** Holds this too, until the claim ends. */
  add(key: ContentKey): void {
    if (this.#keys.has(key)) return;
    this.#keys.add(key);
    this.#content.hold(key);
  }

  /** Holds this too; when it resolves, nobody who thought it was not needed is still deleting it. */
  async admit(key: ContentKey, signal?: AbortSignal): Promise<void> {
    this.add(key);
    await this.#content.with(key, () => Promise.resolve(), signal);
  }

  /** Ends the claim; what no record names by now goes. */
  async end(fate: Fate): Promise<void> {
    const keys = [...this.#keys];
    this.#keys.clear();
    for (const key of keys) this.#content.letGo(key);
    await this.#content.release(keys, fate);
  }
}

/** Everything an image is made of. */
export function keysOf(image: ImageRecord): ContentKey[] {
  const digests = new Set([image.digest, `sha256:${image.id}`]);
  for (const { digest } of image.layers) digests.add(digest);
  for (const name of image.repoDigests) digests.add(name.slice(name.indexOf("@") + 1));
  for (const { blobs = [] } of image.list?.entries ?? []) for (const digest of blobs) digests.add(digest);
  const layers = new Set(image.layers.map(({ diffID }) => `layer:${diffID}` as const));
  return [...[...digests].map((digest) => `blob:${digest}` as const), ...layers];
}
