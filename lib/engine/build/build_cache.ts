import type { Core } from "../core.ts";
import type { Images } from "../images/images.ts";
import type { ImageRecord } from "../records/image_record.ts";
import type { Table } from "../store/table.ts";

/** The image that a step made. */
interface CacheEntry {
  image: string;
  /** Milliseconds since the epoch. */
  time: number;
}

/**
 * The results of build steps by the digest of everything that went into them. An entry is written after its image: what
 * is here is whole. One whose image was removed counts for nothing.
 */
export class BuildCache {
  readonly #core: Core;
  readonly #images: Images;
  readonly #table: Table<CacheEntry>;

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
    if (this.#images.exists(entry.image)) return this.#images.resolve(entry.image);
    await this.#core.state.commit([this.#table.drop(key)]);
  }

  /** Notes the image that a step made. */
  async keep(key: string, image: string): Promise<void> {
    await this.#core.state.commit([this.#table.put(key, { image, time: this.#core.clock.now() })]);
  }

  /** Forgets every step, and gives the images they made, the latest first. */
  async clear(): Promise<string[]> {
    const entries = this.#table.values().sort((a, b) => b.time - a.time);
    await this.#core.state.commit(this.#table.keys().map((key) => this.#table.drop(key)));
    return [...new Set(entries.map(({ image }) => image))];
  }
}
