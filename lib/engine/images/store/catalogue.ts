import type { Core } from "../../core.ts";
import type { ImageRecord } from "../../records/image_record.ts";
import { type Claim, keysOf } from "./content.ts";
import type { Index, Operation, Table } from "../../store/table.ts";
import { Relations } from "./relations.ts";

/** An image's new record, and the changes that come with it. */
export interface Addition {
  record: ImageRecord;
  /** Names it gets; other images lose them. */
  names: readonly string[];
  /** The operations committed together with the record. */
  operations: readonly Operation[];
  /** Holds the content of the record that is there already, so that what the new one does not need goes with the claim. */
  claim: Claim;
  /** Looks once more where nobody can come between; what it throws ends the addition. */
  check?(): void;
}

/** The records of images, and who has which name. */
export class Catalogue {
  /** Tells which image was built on which. */
  readonly relations: Relations;
  readonly #core: Pick<Core, "state" | "locks">;
  readonly #table: Table<ImageRecord>;
  readonly #byName: Index<ImageRecord>;
  readonly #byDigest: Index<ImageRecord>;
  readonly #going = new Set<string>();

  constructor(core: Pick<Core, "state" | "locks">) {
    this.#core = core;
    this.#table = core.state.table<ImageRecord>("images");
    this.#byName = this.#table.index((image) => image.names);
    this.#byDigest = this.#table.index(digestsOf);
    this.relations = new Relations(this.#table);
  }

  get(id: string): Readonly<ImageRecord> | undefined {
    return this.#table.get(id);
  }

  values(): Readonly<ImageRecord>[] {
    return this.#table.values();
  }

  withPrefix(prefix: string): Readonly<ImageRecord>[] {
    return this.#table.withPrefix(prefix);
  }

  /** The image of a normalised name. */
  named(name: string): Readonly<ImageRecord> | undefined {
    return this.#byName.get(name);
  }

  /** Whether the image's removal is under way: it is still found, but not for long. */
  isGoing(id: string): boolean {
    return this.#going.has(id);
  }

  /** Images known by a manifest's or index's digest. */
  withDigest(digest: string): Readonly<ImageRecord>[] {
    return this.#byDigest.all(digest);
  }

  /** Adds an image, or what is new about one that is there. */
  async add({ record, names, operations, claim, check }: Addition): Promise<ImageRecord> {
    return await this.#change(async () => {
      check?.();
      const old = this.#table.get(record.id);
      if (old) { for (const key of keysOf(old)) claim.add(key); }
      const merged: ImageRecord = {
        ...record,
        // New names come first, as Podman has them.
        names: unique([...names, ...old?.names ?? []]),
        repoDigests: unique([...record.repoDigests, ...old?.repoDigests ?? []]),
        history: (old?.history ?? []).filter((name) => !names.includes(name)),
      };
      await this.#core.state.commit([
        ...this.#takeAway(names, record.id),
        this.#table.put(record.id, merged),
        ...operations,
      ]);
      return merged;
    });
  }

  /** Gives an image a name; does nothing when the image has gone. */
  async name(id: string, name: string): Promise<void> {
    await this.#change(async () => {
      const image = this.#table.get(id);
      if (!image || image.names.includes(name)) return;
      const history = image.history.filter((other) => other !== name);
      const renamed = { ...image, names: [name, ...image.names], history };
      await this.#core.state.commit([...this.#takeAway([name], id), this.#table.put(id, renamed)]);
    });
  }

  /** Puts another record in an image's place; gives back the one that was there, or nothing when the image has gone. */
  async update(id: string, change: (image: ImageRecord) => ImageRecord): Promise<ImageRecord | undefined> {
    return await this.#change(async () => {
      const image = this.#table.get(id);
      if (image) await this.#core.state.commit([this.#table.put(id, change(image))]);
      return image;
    });
  }

  /** Notes a digest the image is known by in a repository; does nothing when the image has gone. */
  async addDigest(id: string, repoDigest: string): Promise<void> {
    await this.#change(async () => {
      const image = this.#table.get(id);
      if (!image || image.repoDigests.includes(repoDigest)) return;
      const repoDigests = [...image.repoDigests, repoDigest];
      await this.#core.state.commit([this.#table.put(id, { ...image, repoDigests })]);
    });
  }

  /** Takes names off an image; gives back those it had and the record that is left. */
  async unname(id: string, names: readonly string[]): Promise<{ gone: string[]; left?: ImageRecord }> {
    return await this.#change(async () => {
      const image = this.#table.get(id);
      if (!image) return { gone: [] };
      const gone = image.names.filter((name) => names.includes(name));
      if (gone.length === 0) return { gone, left: image };
      const left = without(image, gone);
      await this.#core.state.commit([this.#table.put(id, left)]);
      return { gone, left };
    });
  }

  /** Removes an image's record if `mayGo` still says so; gives back what was removed. */
  async remove(id: string, mayGo: () => boolean): Promise<ImageRecord | undefined> {
    return await this.#change(async () => {
      const image = this.#table.get(id);
      if (!image || !mayGo()) return undefined;
      this.#going.add(id);
      try {
        await this.#core.state.commit([this.#table.drop(id)]);
      } finally {
        this.#going.delete(id);
      }
      return image;
    });
  }

  #takeAway(names: readonly string[], exceptID: string): Operation[] {
    const owners = new Set(names.map((name) => this.#byName.get(name)));
    return [...owners].flatMap((owner) => {
      if (!owner || owner.id === exceptID) return [];
      return [this.#table.put(owner.id, without(owner, names))];
    });
  }

  /** One lock for all images: a name that moves changes two of them. It is held for one commit only. */
  #change<T>(fn: () => Promise<T>): Promise<T> {
    return this.#core.locks.with("images", fn);
  }
}

function without(image: ImageRecord, names: readonly string[]): ImageRecord {
  const lost = image.names.filter((name) => names.includes(name));
  return {
    ...image,
    names: image.names.filter((name) => !names.includes(name)),
    history: unique([...lost, ...image.history]),
  };
}

function digestsOf(image: ImageRecord): string[] {
  return unique([image.digest, ...image.repoDigests.map((name) => name.slice(name.indexOf("@") + 1))]);
}

function unique(names: readonly string[]): string[] {
  return [...new Set(names)];
}
