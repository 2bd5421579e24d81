import type { Platform } from "../options.ts";
import { choosePlatform } from "../../oci/platform.ts";
import { formatReference, parseReference, repositoryName as repositoryOf } from "../../oci/reference.ts";
import type { Credential } from "../../oci/registry/registry_sessions.ts";
import type { Core } from "../core.ts";
import { EngineError } from "../errors.ts";
import { byArrival, type ImageRecord } from "../records/image_record.ts";
import { Artifacts } from "../artifacts/artifacts.ts";
import { ImageArchives, type Track } from "./archive/archives.ts";
import { assembleImage, type AssembleOptions } from "./store/assemble.ts";
import { Catalogue } from "./store/catalogue.ts";
import { type Claim, Content } from "./store/content.ts";
import { isThere, unknownImage } from "./failures.ts";
import type { ImageParts } from "./ingest/ingest.ts";
import { ManifestLists } from "./manifests/manifest_lists.ts";
import { candidatesOf, findImage, type Found, nameForTag } from "./store/lookup.ts";
import { ProgressFeed } from "./pull/progress_feed.ts";
import { pullImages, resolveNames } from "./pull/pull.ts";
import { pushImage } from "./push/push.ts";
import { inspectRemote, loginToRegistry, type RemoteImage } from "./registry_queries.ts";
import type { Relations } from "./store/relations.ts";
import { checkStore, mendLayer, type StoreCheckOptions, type StoreDamage } from "./store/store_check.ts";
import { type RemovalContext, removeImage } from "./store/removal.ts";
import { pruneImages, removeAll, removeMany, type RemoveManyReport } from "./store/remove_many.ts";
import { searchImages, type SearchOptions, type SearchResult } from "./search.ts";
import type {
  ImageUsers,
  PullOptions,
  PullProgress,
  PushOptions,
  PushProgress,
  RegistryAccess,
  RemoveImageOptions,
  RemoveImageReport,
} from "./types.ts";

/** The engine's images: their records, their names, and the blobs and unpacked layers they share. */
export class Images {
  /** The users of images; `Containers` sets it. */
  users: ImageUsers = { of: () => [], remove: () => Promise.resolve() };
  /** Saving, loading and importing. */
  readonly archives: ImageArchives;
  /** The artifacts, which share the store with images. */
  readonly artifacts: Artifacts;
  /** Manifest lists, which are images too. */
  readonly lists: ManifestLists;
  readonly #core: Core;
  readonly #catalogue: Catalogue;
  readonly #content: Content;
  readonly #pins = new Map<string, number>();
  /** The controllers of long operations under way: on the edge a signal may be used only by the request it was made for. */
  readonly #tasks = new Map<Promise<unknown>, AbortController>();
  #closed = false;

  constructor(core: Core) {
    this.#core = core;
    this.#catalogue = new Catalogue(core);
    this.#content = new Content(core);
    this.lists = new ManifestLists(this.#parts, (signal, start) => this.#trackWith(signal, start));
    const track: Track = (signal, work) => this.#trackWith(signal, work);
    this.archives = new ImageArchives(this.#parts, track);
    this.artifacts = new Artifacts(this.#parts, track);
  }

  /** Every image, the newest made first; of those that say the same moment, the one that came here last. */
  list(): Readonly<ImageRecord>[] {
    const dated = this.#catalogue.values().map((image) => {
      return { image, time: Date.parse(image.config.created ?? image.pulledAt) || 0 };
    });
    dated.sort((a, b) => b.time - a.time || byArrival(b.image, a.image));
    return dated.map(({ image }) => image);
  }

  /**
   * The image of that name, ID, ID prefix or digest; of a manifest list, its image for this platform or another. Throws
   * `EngineError`: `no_such_image`, `ambiguous`, or `invalid` for what does not parse.
   */
  resolve(nameOrID: string, platform: Platform = this.#core.options.defaultPlatform): Readonly<ImageRecord> {
    const { image } = this.find(nameOrID);
    if (image.list === undefined) return image;
    const chosen = choosePlatform({ manifests: image.list.entries }, platform);
    const [own] = chosen === undefined ? [] : this.#catalogue.withDigest(chosen.digest);
    if (own !== undefined) return own;
    throw new EngineError("no_such_image", `${nameOrID}: the manifest list's image for this platform is not here`, {
      sentinel: "image not known",
    });
  }

  /** Finds an image or manifest list by name, ID, ID prefix or digest; returns it with the full name it was found under. */
  find(nameOrID: string): Found {
    return findImage(this.#catalogue, this.#core.options.registries, nameOrID);
  }

  /** Every name of the repository that a text without tag means; of several that it may mean, of the first that is here. */
  namesIn(repository: string): string[] {
    const names = this.list().flatMap((image) => image.names).sort();
    const repositories = candidatesOf(this.#core.options.registries, repository).map(repositoryOf);
    const found = repositories.map((one) => names.filter((name) => name.startsWith(`${one}:`)));
    return found.find((tagged) => tagged.length > 0) ?? [];
  }

  /** Whether there is one. */
  exists(nameOrID: string): boolean {
    return isThere(() => this.find(nameOrID));
  }

  /**
   * Keeps an image from being removed until the result is disposed: for who is about to use it. Throws `no_such_image` when
   * it is going already.
   */
  pin(id: string): Disposable {
    if (!this.#catalogue.get(id) || this.#catalogue.isGoing(id)) throw unknownImage(id);
    this.#pins.set(id, (this.#pins.get(id) ?? 0) + 1);
    let isHeld = true;
    return {
      [Symbol.dispose]: () => {
        if (!isHeld) return;
        isHeld = false;
        const left = (this.#pins.get(id) ?? 1) - 1;
        if (left > 0) this.#pins.set(id, left);
        else this.#pins.delete(id);
      },
    };
  }

  /**
   * Pulls an image and tells how it goes; the last thing told is `done`. Nothing happens until the first value is asked for,
   * and ending the iteration stops the pull. Throws `EngineError`: `invalid`, `registry` (with the HTTP status), `corrupt`,
   * `limit`, `unsupported`, `no_such_image`, `cancelled`.
   */
  pull(reference: string, options: PullOptions = {}): AsyncIterableIterator<PullProgress, undefined> {
    const pull = (tell: (progress: PullProgress) => void, signal: AbortSignal) =>
      this.#track((stop) => pullImages(this.#parts, reference, options, tell, AbortSignal.any([signal, stop])));
    return new ProgressFeed(pull, options.signal);
  }

  /**
   * Pushes an image to a registry and tells how it goes; the last thing told is `done`. Only what the registry lacks is sent. Nothing
   * happens until the first value is asked for, and ending the iteration stops the push. Throws `EngineError`: `no_such_image`,
   * `invalid`, `registry` (with the HTTP status), `cancelled`.
   */
  push(nameOrID: string, options: PushOptions = {}): AsyncIterableIterator<PushProgress, undefined> {
    const push = (tell: (progress: PushProgress) => void, signal: AbortSignal) =>
      this.#trackWith(signal, (signal) => pushImage(this.#parts, this.find(nameOrID), options, tell, signal));
    return new ProgressFeed(push, options.signal);
  }

  /** The full names that a pull of the text tries in order. Throws `EngineError("invalid")`. */
  resolveNames(text: string): string[] {
    return resolveNames(this.#core.options.registries, text);
  }

  /** Whether a registry takes a credential; see {@linkcode loginToRegistry}. */
  login(host: string, credential: Credential, options: RegistryAccess & { signal?: AbortSignal } = {}): Promise<void> {
    return loginToRegistry(this.#core, host, credential, options);
  }

  /** Looks up a name in its registry; see {@linkcode inspectRemote}. */
  inspectRemote(name: string, options: RegistryAccess & { signal?: AbortSignal } = {}): Promise<RemoteImage> {
    return this.#trackWith(options.signal, (signal) => inspectRemote(this.#core, name, { ...options, signal }));
  }

  /** Makes an image of a base, layers and a config; see {@linkcode assembleImage}. */
  assemble(options: AssembleOptions): Promise<ImageRecord> {
    return this.#trackWith(options.signal, (signal) => assembleImage(this.#parts, { ...options, signal }));
  }

  /** Removes an image, or a name of it while it has others; see {@linkcode removeImage}. */
  async remove(nameOrID: string, options: RemoveImageOptions = {}): Promise<RemoveImageReport> {
    if (options.ignore && !this.exists(nameOrID)) return { untagged: [], deleted: [], removed: [] };
    return await removeImage(this.#removal, this.find(nameOrID), options);
  }

  /** Removes what several texts name; see {@linkcode removeMany}. */
  removeMany(names: readonly string[], options: RemoveImageOptions = {}): Promise<RemoveManyReport> {
    return removeMany(this.#removal, names, options, (text) => this.find(text));
  }

  /** Removes every image. */
  removeAll(options: RemoveImageOptions = {}): Promise<RemoveManyReport> {
    return removeAll(this.#removal, this.list().map((image) => ({ image, name: image.id, by: "all" })), options);
  }

  /** Removes what fits and no container uses; see {@linkcode pruneImages}. */
  prune(fits: Parameters<typeof pruneImages>[1]): Promise<RemoveImageReport["removed"]> {
    return pruneImages(this.#removal, fits);
  }

  /** Deletes blobs and layers that nothing needs: what a crash, or a transfer that was cut, left. */
  async sweep(): Promise<void> {
    await this.#content.sweep();
    await this.#content.unstage();
  }

  /** Checks blobs and layers; see {@linkcode checkStore}. */
  check(options: StoreCheckOptions): Promise<StoreDamage> {
    return this.#trackWith(options.signal, (signal) => checkStore(this.#parts, { ...options, signal }));
  }

  /** Unpacks a damaged layer anew where its blob is sound; see {@linkcode mendLayer}. */
  mend(diffID: string): Promise<boolean> {
    return mendLayer(this.#parts, diffID);
  }

  /** Deletes layers that nothing needs, of these. Returns those that went. */
  async removeLayers(diffIDs: readonly string[]): Promise<string[]> {
    const gone = await this.#content.release(diffIDs.map((diffID) => `layer:${diffID}` as const), "delete");
    return gone.map((key) => key.slice("layer:".length));
  }

  /** Searches registries; see {@linkcode searchImages}. */
  search(term: string, options: SearchOptions = {}): Promise<SearchResult[]> {
    return this.#trackWith(options.signal, (signal) => searchImages(this.#core, term, { ...options, signal }));
  }

  /** Tells which image was built on which. */
  get relations(): Relations {
    return this.#catalogue.relations;
  }

  /** Gives an image one more name (`localhost/` and `latest` where it lacks them); another image loses it. */
  async tag(nameOrID: string, repository: string, tag = ""): Promise<void> {
    const { image } = this.find(nameOrID);
    const name = nameForTag(tag === "" ? repository : `${repository}:${tag}`);
    await this.#catalogue.name(image.id, name);
    this.#core.events.emit({ type: "image", action: "tag", id: image.id, name });
  }

  /** Takes names off an image, all of them when none is given. Throws `no_such_image` for one it does not have. */
  async untag(nameOrID: string, names: readonly string[] = []): Promise<void> {
    const { image } = this.find(nameOrID);
    const chosen = names.length === 0 ? image.names : names.map((name) => this.#nameOf(image, name));
    const { gone } = await this.#catalogue.unname(image.id, chosen);
    for (const name of gone) this.#core.events.emit({ type: "image", action: "untag", id: image.id, name });
  }

  /** Keeps blobs until a record names them; volumes without a host are made of some. */
  claimContent(): Claim {
    return this.#content.claim();
  }

  /** How many images share a layer, by its diff ID. */
  sharers(diffID: string): number {
    return this.#content.usersOf(`layer:${diffID}`);
  }

  /** Bytes of an unpacked layer; `undefined` where nothing is unpacked. */
  layerSize(diffID: string): number | undefined {
    return this.#content.layerSize(diffID);
  }

  /** Hides or deletes what an interrupted pull or removal left, and mends what the machine's end did. Called once, at start. */
  async recover(): Promise<void> {
    const content = this.#content;
    await content.sweep();
    await content.syncs.recover(
      (diffID) => content.isNeeded(`layer:${diffID}`),
      (diffID, blob) => mendLayer(this.#parts, diffID, blob),
    );
  }

  /** Stops pulls and the like; resolves when each has cleaned up. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const stop of this.#tasks.values()) stop.abort(engineCloses());
    await Promise.allSettled(this.#tasks.keys());
    await this.#content.syncs.settle();
  }

  get #removal(): RemovalContext {
    return { ...this.#parts, users: this.users, isPinned: (id) => this.#pins.has(id) };
  }

  get #parts(): ImageParts {
    return { core: this.#core, catalogue: this.#catalogue, content: this.#content };
  }

  async #track<T>(start: (stop: AbortSignal) => Promise<T>): Promise<T> {
    const stop = new AbortController();
    if (this.#closed) stop.abort(engineCloses());
    const task = start(stop.signal);
    this.#tasks.set(task, stop);
    try {
      return await task;
    } finally {
      this.#tasks.delete(task);
    }
  }

  #trackWith<T>(signal: AbortSignal | undefined, start: (signal: AbortSignal) => Promise<T>): Promise<T> {
    return this.#track((stop) => start(signal ? AbortSignal.any([signal, stop]) : stop));
  }

  #nameOf(image: ImageRecord, text: string): string {
    const name = text.includes("@") ? formatReference(parseReference(text)) : nameForTag(text);
    if (image.names.includes(name)) return name;
    // As lookup would take a short name.
    const found = this.exists(text) ? this.find(text).name : name;
    if (image.names.includes(found)) return found;
    throw new EngineError("no_such_image", `${name}: tag not known`, { sentinel: "tag not known" });
  }
}

function engineCloses(): EngineError {
  return new EngineError("cancelled", "The engine is closing");
}
