import type { Core } from "../../core.ts";
import type { Operation, Table } from "../../store/table.ts";

/** The record of one blob. */
interface PlacesRecord {
  /** `registry/repository`, the one it was seen in last first. */
  repositories: readonly string[];
  /** The blobs that pushes made of it, by how they were compressed. */
  packed: Readonly<Record<string, PackedBlob>>;
  /** When it was last seen, in milliseconds since the epoch. */
  at: number;
}

/** A blob compressed for its way. */
export interface PackedBlob {
  digest: string;
  size: number;
}

/** Repositories that are remembered of one blob. */
const REPOSITORIES = 8;
/** Ways of compression that are remembered of one blob. */
const WAYS = 8;
/** Blobs that are remembered; of more, those seen longest ago are forgotten, an eighth at once. */
const BLOBS = 8192;

/**
 * The repositories where pulls and pushes saw blobs, and the blobs that pushes made of them: a push to another repository of a
 * registry can have them mounted there instead of sending them, also after the image was removed here. The memory may be wrong:
 * nothing but the bytes sent depends on it. Each pull or push makes its own; its findings last with its
 * {@linkcode BlobPlaces.operations}.
 */
export class BlobPlaces {
  readonly #table: Table<PlacesRecord>;
  readonly #now: () => number;
  readonly #seen = new Map<string, PlacesRecord>();

  constructor({ state, clock }: Pick<Core, "state" | "clock">) {
    this.#table = state.table("blobPlaces");
    this.#now = () => clock.now();
  }

  /** Repositories of a registry that had a blob, the one it was seen in last first. */
  repositories(registry: string, digest: string): string[] {
    const start = `${registry}/`;
    return (this.#get(digest)?.repositories ?? [])
      .filter((name) => name.startsWith(start))
      .map((name) => name.slice(start.length));
  }

  /** Returns the compressed blob that a push made of a blob; `way` names the compression and its level. */
  packed(digest: string, way: string): PackedBlob | undefined {
    return this.#get(digest)?.packed[way];
  }

  /** Notes that a repository, named with its registry, has these blobs. */
  see(repository: string, digests: Iterable<string>): void {
    for (const digest of digests) {
      const others = this.#get(digest)?.repositories.filter((name) => name !== repository) ?? [];
      this.#set(digest, { repositories: [repository, ...others].slice(0, REPOSITORIES) });
    }
  }

  /** Notes that a repository has a blob no more. */
  miss(repository: string, digest: string): void {
    const known = this.#get(digest);
    if (known === undefined) return;
    this.#set(digest, { repositories: known.repositories.filter((name) => name !== repository) });
  }

  /** Notes what compressing a blob gave. */
  pack(digest: string, way: string, made: PackedBlob): void {
    const others = Object.entries(this.#get(digest)?.packed ?? {}).filter(([other]) => other !== way);
    this.#set(digest, { packed: Object.fromEntries([[way, made], ...others].slice(0, WAYS)) });
  }

  /** The operations that make what was seen last. */
  operations(): Operation[] {
    const operations = [...this.#seen].map(([digest, record]) => this.#table.put(digest, record));
    const added = [...this.#seen.keys()].filter((digest) => !this.#table.has(digest)).length;
    return [...operations, ...this.#forget(added)];
  }

  #forget(added: number): Operation[] {
    if (this.#table.size + added <= BLOBS) return [];
    const age = (digest: string) => this.#table.get(digest)?.at ?? 0;
    const oldest = this.#table.keys().filter((digest) => !this.#seen.has(digest)).sort((a, b) => age(a) - age(b));
    return oldest.slice(0, BLOBS / 8 + added).map((digest) => this.#table.drop(digest));
  }

  #get(digest: string): Readonly<PlacesRecord> | undefined {
    return this.#seen.get(digest) ?? this.#table.get(digest);
  }

  #set(digest: string, change: Partial<PlacesRecord>): void {
    const known = this.#get(digest) ?? { repositories: [], packed: {} };
    this.#seen.set(digest, { ...known, ...change, at: this.#now() });
  }
}
