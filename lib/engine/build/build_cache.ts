import type { Core } from "../core.ts";
import type { Images } from "../images/images.ts";
import type { ImageRecord } from "../records/image_record.ts";
import type { Table } from "../store/table.ts";

/** The image that a step made. */
interface CacheEntry {
  image: string;
  /** The image that the step began with; stores of earlier versions do not say it. */
  base?: string;
  /** Milliseconds since the epoch. */
  time: number;
}

/** An image of the cache, and how often this server has taken it since it began. */
export interface CachedImage extends CacheEntry {
  keys: string[];
  uses: number;
  /** Milliseconds since the epoch; of its making, where it was not used since this server began. */
  usedAt: number;
}

/**
 * The results of build steps by the digest of everything that went into them. An entry is written after its image: what
 * is here is whole. One whose image was removed counts for nothing.
 */
export class BuildCache {
  readonly #core: Core;
  readonly #images: Images;
  readonly #table: Table<CacheEntry>;
  /** By image. A use is not written down: a build that finds everything would write for each step. */
  readonly #uses = new Map<string, { uses: number; usedAt: number }>();

  constructor(core: Core, images: Images) {
    this.#core = core;
    this.#images = images;
    this.#table = core.state.table<CacheEntry>("buildCache");
  }

  /** The key of a step: what was before it, and what it takes. */
  async keyOf(...parts: readonly unknown[]): Promise<string> {
    const hash = this.#core.ports.codec.hash();
    await hash.update(new TextEncoder().encode(JSON.stringify(parts)));
    return await hash.digest();
  }

  /**
   * The image of an earlier build; `undefined` where there is none any more.
   *
   * @param most The age of one that is taken, in milliseconds
   */
  async find(key: string, most = Infinity): Promise<Readonly<ImageRecord> | undefined> {
    const entry = this.#table.get(key);
    if (entry === undefined || this.#core.clock.now() - entry.time > most) return undefined;
    if (this.#images.exists(entry.image)) {
      const { uses = 0 } = this.#uses.get(entry.image) ?? {};
      this.#uses.set(entry.image, { uses: uses + 1, usedAt: this.#core.clock.now() });
      return this.#images.resolve(entry.image);
    }
    await this.#core.state.commit([this.#table.drop(key)]);
  }

  /** Notes the image that a step made on another one. */
  async keep(key: string, image: string, base?: string): Promise<void> {
    await this.#core.state.commit([this.#table.put(key, { image, base, time: this.#core.clock.now() })]);
  }

  /** The images that are there still, each once, the latest first. */
  images(): CachedImage[] {
    const found = new Map<string, CachedImage>();
    for (const key of this.#table.keys()) {
      const entry = this.#table.get(key)!;
      const known = found.get(entry.image);
      if (known !== undefined) known.keys.push(key);
      else if (this.#images.exists(entry.image)) {
        const use = this.#uses.get(entry.image) ?? { uses: 0, usedAt: entry.time };
        found.set(entry.image, { ...entry, ...use, keys: [key] });
      }
    }
    return [...found.values()].sort((a, b) => b.time - a.time);
  }

  /** Forgets steps by their keys. */
  async forget(keys: readonly string[]): Promise<void> {
    await this.#core.state.commit(keys.map((key) => this.#table.drop(key)));
    if (this.#table.keys().length === 0) this.#uses.clear();
  }
}
