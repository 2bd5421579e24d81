/**
 * Folders of callers that are kept between builds, so that only what has changed is sent again.
 *
 * @module
 */
import { messageOf } from "../../../oci/message_of.ts";
import type { Core } from "../../core.ts";
import type { Images } from "../../images/images.ts";
import type { Claim } from "../../images/store/content.ts";
import { keptBlobs, type KeptFolderRecord } from "../../records/kept_folder_record.ts";
import type { Table } from "../../store/table.ts";
import { decodeIndex, encodeIndex, type KeptFile } from "./folder_index.ts";

/** A folder goes when no build has taken it for as long, in milliseconds. */
const KEPT_FOR = 48 * 3600 * 1000;
/** Bytes of all folders that are kept, and how many there are; those that were used last stay. */
const MOST_BYTES = 2 * 2 ** 30;
const MOST_FOLDERS = 100;
/** Files of a folder that is kept, and letters of their paths: its list is one text, which is written and read at once. */
const MOST_FILES = 100_000;
const MOST_LETTERS = 16 << 20;

/** The files of a folder that is kept, and the blobs of their contents. */
export interface KeptFiles {
  files: ReadonlyMap<string, KeptFile>;
  contents: readonly { digest: string; size: number }[];
}

/** A folder that is kept, how often this server has taken it, and whether a build takes it now. */
export interface KeptFolder extends KeptFolderRecord {
  size: number;
  uses: number;
  isUsed: boolean;
}

/** A build under way, which holds what it takes of a folder. */
interface Build {
  claim: Claim;
  pins: DisposableStack;
}

export class KeptFolders {
  readonly #core: Core;
  readonly #images: Images;
  readonly #table: Table<KeptFolderRecord>;
  readonly #uses = new Map<string, number>();
  /** Builds that take a folder now, by its ID. */
  readonly #users = new Map<string, number>();
  /** Folders that are brought to the disk. */
  readonly #keeping = new Set<Promise<void>>();

  constructor(core: Core, images: Images) {
    this.#core = core;
    this.#images = images;
    this.#table = core.state.table<KeptFolderRecord>("keptFolders");
  }

  /** Finds what is kept under a key, and holds it until the build ends; `undefined` where there is nothing, or it cannot be read. */
  async find(key: string, { claim, pins }: Build): Promise<KeptFiles | undefined> {
    const id = await this.#idOf(key);
    const record = this.#table.get(id);
    if (record === undefined) return undefined;
    for (const digest of keptBlobs(record)) claim.add(`blob:${digest}`);
    pins.use(this.#take(id));
    try {
      const files = await this.#readFiles(record);
      if (files) this.#uses.set(id, (this.#uses.get(id) ?? 0) + 1);
      return files;
    } catch (error) {
      this.#core.log("warn", `Read folder "${record.name}" of earlier builds: ${messageOf(error)}`);
      return undefined;
    }
  }

  /** Notes that a folder was taken as it is. */
  async touch(key: string): Promise<void> {
    const id = await this.#idOf(key);
    await this.#alone(id, async () => {
      const record = this.#table.get(id);
      if (record) await this.#put({ ...record, usedAt: this.#core.clock.now() });
    });
  }

  /**
   * Keeps a folder in place of what was kept of it; none that is too large. It is brought to the disk behind the build: one that a crash
   * takes before that is sent anew.
   */
  async keep({ key, name }: { key: string; name: string }, kept: KeptFiles, { claim, pins }: Build): Promise<void> {
    const id = await this.#idOf(key);
    const index = isKeepable(kept) ? await this.#writeFiles(kept, claim) : undefined;
    await this.#alone(id, async () => {
      const known = this.#table.get(id);
      // The blobs that it is made of no more go when the build ends.
      for (const digest of known ? keptBlobs(known) : []) claim.add(`blob:${digest}`);
      if (index === undefined) {
        if (known) await this.#core.state.commit([this.#table.drop(id)]);
        return;
      }
      const now = this.#core.clock.now();
      pins.use(this.#take(id));
      const contents = [...kept.contents];
      const record = { id, name, index, contents, createdAt: known?.createdAt ?? now, usedAt: now };
      await this.#put(record);
      pins.defer(() => this.#makeLast(record));
    });
    await this.trim();
  }

  /** All that are kept, those that were used last first. */
  list(): KeptFolder[] {
    return this.#table.values().map((record) => ({
      ...record,
      size: sumOf([record.index, ...record.contents]),
      uses: this.#uses.get(record.id) ?? 0,
      isUsed: this.#users.has(record.id),
    })).sort((a, b) => b.usedAt - a.usedAt);
  }

  /** Forgets a folder, and deletes what nothing else needs of it. Tells whether it went: one that a build takes stays. */
  async forget(id: string): Promise<boolean> {
    return await this.#alone(id, async () => {
      const record = this.#table.get(id);
      if (record === undefined || this.#users.has(id)) return false;
      const claim = this.#images.claimContent();
      for (const digest of keptBlobs(record)) claim.add(`blob:${digest}`);
      await this.#core.state.commit([this.#table.drop(id)]);
      this.#uses.delete(id);
      await claim.end("delete");
      return true;
    });
  }

  /** Forgets folders that were not used for long, and those used longest ago where there are too many. */
  async trim(): Promise<void> {
    const since = this.#core.clock.now() - KEPT_FOR;
    let bytes = 0;
    for (const [number, { id, size, usedAt }] of this.list().entries()) {
      bytes += size;
      if (usedAt < since || bytes > MOST_BYTES || number >= MOST_FOLDERS) await this.forget(id);
    }
  }

  /** Resolves when the folders of the builds that have ended are on the disk. */
  async settled(): Promise<void> {
    await Promise.all(this.#keeping);
  }

  async #readFiles({ index, contents }: KeptFolderRecord): Promise<KeptFiles | undefined> {
    const { blobs } = this.#core.ports;
    const found = await Promise.all([index, ...contents].map(async ({ digest, size }) => {
      return (await blobs.stat(digest))?.size === size;
    }));
    const stream = found.every((isThere) => isThere) ? await blobs.open(index.digest) : undefined;
    if (stream === undefined) return undefined;
    const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
    return { files: decodeIndex(bytes, contents.map(({ digest }) => digest)), contents };
  }

  async #writeFiles({ files, contents }: KeptFiles, claim: Claim): Promise<KeptFolderRecord["index"]> {
    const bytes = encodeIndex(files, contents.map(({ digest }) => digest));
    const admit = (digest: string) => claim.admit(`blob:${digest}`);
    return await this.#core.ports.blobs.put(new Blob([bytes]).stream(), { admit, isScratch: true });
  }

  #makeLast(record: KeptFolderRecord): void {
    const { blobs } = this.#core.ports;
    const work = async () => {
      try {
        for (const digest of keptBlobs(record)) await blobs.keep?.(digest);
      } catch (error) {
        this.#core.log("warn", `Keep folder "${record.name}" of a build: ${messageOf(error)}`);
      }
    };
    const keeping = work().finally(() => this.#keeping.delete(keeping));
    this.#keeping.add(keeping);
  }

  /** Runs work on a folder's record while nobody else changes it. */
  #alone<T>(id: string, work: () => Promise<T>): Promise<T> {
    return this.#core.locks.with(`folder:${id}`, work);
  }

  #take(id: string): Disposable {
    this.#users.set(id, (this.#users.get(id) ?? 0) + 1);
    return {
      [Symbol.dispose]: () => {
        const left = this.#users.get(id)! - 1;
        if (left > 0) this.#users.set(id, left);
        else this.#users.delete(id);
      },
    };
  }

  async #put(record: KeptFolderRecord): Promise<void> {
    await this.#core.state.commit([this.#table.put(record.id, record)]);
  }

  async #idOf(key: string): Promise<string> {
    const hash = this.#core.ports.codec.hash();
    await hash.update(new TextEncoder().encode(key));
    const digest = await hash.digest();
    return digest.slice(digest.indexOf(":") + 1);
  }
}

function isKeepable({ files, contents }: KeptFiles): boolean {
  if (files.size === 0 || files.size > MOST_FILES || sumOf(contents) > MOST_BYTES) return false;
  let letters = 0;
  for (const path of files.keys()) letters += path.length;
  return letters <= MOST_LETTERS;
}

function sumOf(blobs: readonly { size: number }[]): number {
  return blobs.reduce((sum, { size }) => sum + size, 0);
}
