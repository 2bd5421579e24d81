import { fdatasyncSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import process from "node:process";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { EngineError } from "../../engine/errors.ts";
import type {
  Change,
  Retention,
  Row,
  Store,
  StreamEntry,
  StreamExtent,
  StreamRange,
} from "../../engine/ports/ports.ts";
import { isFullDisk } from "../../oci/system_error.ts";
import { noRoom } from "./disk_room.ts";
import { LogSync, type Surroundings } from "./log_sync.ts";
import { SpaceReserve } from "./space_reserve.ts";
import { type Amount, countBeyond, extentOf, sizeOf } from "./retention.ts";
import { emptyLog, explainFailure, setUpFile } from "./sqlite_file.ts";
import { adoptDatabase, compactDatabase, shrinkDatabase } from "./sqlite_space.ts";

/**
 * Goes before a secret, as JSON allows. SQLite keeps the first bytes of a row (1002 at most, of pages of 4 KiB) in the pages of its tree, and
 * copies them as the tree grows: a copy may stay behind what is zeroed later. The rows that follow have pages of their own,
 * which stay where they are.
 */
const SECRET_INDENT = " ".repeat(1024);
/** How much of a stream is read at once; a single record may be larger. */
const PAGE = { records: 512, bytes: 256 * 1024 };
/** How much of a stream is dropped at once, besides as much as is appended. */
const PIECE = { records: 1024, bytes: 2 << 20 };

/**
 * A {@linkcode Store} in one SQLite file. A commit is on the disk when it resolves; what was appended goes there with the
 * next commit. The file belongs to one process at a time. Runs on Deno and Node through `node:sqlite`.
 *
 * `node:sqlite` blocks its thread, and a disk may take milliseconds to say that it has something. So SQLite only writes its
 * log here (`synchronous = NORMAL`), and the log is made to last beside it (see {@linkcode LogSync}): what `FULL` would do.
 */
export class SQLiteStore implements Store {
  /** The file's path. */
  readonly place: string;
  readonly #db: DatabaseSync;
  readonly #log: FileHandle;
  readonly #sync: LogSync;
  readonly #statements: Statements;
  /** The log holds secrets that were deleted. */
  #forgets = false;
  /** The known extent of each stream; absent where it has to be queried. */
  readonly #known = new Map<string, Known>();
  /** Whether pages were given back that the file still has. */
  #isShrunk = false;

  readonly #reserve: SpaceReserve;

  private constructor(
    db: DatabaseSync,
    log: FileHandle,
    { place, reserve, ...surroundings }: { place: string; reserve: SpaceReserve } & Surroundings,
  ) {
    this.place = place;
    this.#reserve = reserve;
    this.#db = db;
    this.#log = log;
    this.#sync = new LogSync({ syncAside: () => log.datasync(), syncHere: () => fdatasyncSync(log.fd) }, surroundings);
    this.#statements = prepareStatements(db);
  }

  /**
   * Opens the file, making it where there is none. Throws `EngineError`: `in_use` when another process has it, `corrupt` when
   * it is no database or a damaged one, `unsupported` when a later version wrote it. Nothing in the file is changed then.
   */
  static async open(path: string, surroundings: Surroundings = {}): Promise<SQLiteStore> {
    const reserve = new SpaceReserve(`${path}-reserve`);
    const db = new (loadSQLite().DatabaseSync)(path);
    try {
      reserve.use(() => setUpFile(db, path));
      // Never the database itself: closing any handle of that would give up SQLite's locks on it.
      return new SQLiteStore(db, await open(`${path}-wal`, "r"), { place: path, reserve, ...surroundings });
    } catch (error) {
      db.close();
      throw explainFailure(error, path);
    }
  }

  load(): Promise<Row[]> {
    return Promise.resolve().then(() =>
      this.#statements.load.all().map((row) => ({
        table: String(row.tab),
        key: String(row.key),
        value: String(row.value),
      }))
    );
  }

  commit(changes: readonly Change[]): Promise<void> {
    const write = () =>
      this.#transaction(() => {
        for (const { table, key, value, isSecret = false } of changes) {
          this.#forgets ||= isSecret && this.#statements.has.get(table, key) !== undefined;
          if (value === null) this.#statements.remove.run(table, key);
          else this.#statements.put.run(table, key, isSecret ? SECRET_INDENT + value : value);
        }
      }, changes.length === 1);
    return this.#sync.around(write, () => {
      // On a full disk the next commit does it.
      if (this.#forgets) this.#forgets = !emptyLog(this.#db);
    });
  }

  append(
    stream: string,
    entries: readonly Omit<StreamEntry, "seq">[],
    retention: Retention = {},
  ): Promise<StreamExtent> {
    return this.#changed(stream, (known) => {
      let { last, bytes, time } = known;
      for (const entry of entries) {
        time = entry.time;
        this.#statements.append.run(stream, ++last, time, entry.value);
        bytes += sizeOf(entry.value);
      }
      const added = bytes - known.bytes;
      const most = { records: entries.length + PIECE.records, bytes: added + PIECE.bytes };
      return this.#dropBeyond(stream, { ...known, last, bytes, time }, retention, most);
    }, entries.length === 1 && Object.keys(retention).length === 0);
  }

  async trim(stream: string, retention: Retention): Promise<boolean> {
    const before = this.#knownOf(stream).first;
    const { first } = await this.#changed(stream, (known) => this.#dropBeyond(stream, known, retention, PIECE));
    const isShrunk = shrinkDatabase(this.#db);
    this.#isShrunk ||= isShrunk;
    if (first !== before || isShrunk) return true;
    if (this.#isShrunk) adoptDatabase(this.#db);
    this.#isShrunk = false;
    compactDatabase(this.#db);
    return false;
  }

  extent(stream: string): Promise<StreamExtent> {
    return Promise.resolve().then(() => extentOf(this.#knownOf(stream)));
  }

  async *read(stream: string, range: StreamRange = {}): AsyncIterable<StreamEntry> {
    const { since = -Infinity, most = Number.MAX_VALUE, last = Number.MAX_SAFE_INTEGER } = range;
    let { after = 0 } = range;
    // In pages: a cursor held open while the reader waits would keep the file from being checkpointed.
    for (;;) {
      const page: StreamEntry[] = [];
      let size = 0;
      for (const row of this.#statements.page.iterate(stream, after, last, since, most)) {
        const entry = { seq: Number(row.seq), time: Number(row.time), value: String(row.value) };
        page.push(entry);
        if ((size += entry.value.length) >= PAGE.bytes || page.length === PAGE.records) break;
      }
      if (page.length === 0) return;
      after = page[page.length - 1].seq;
      yield* page;
      if (after >= last) return;
    }
  }

  drop(stream: string): Promise<void> {
    return this.#transaction(() => {
      this.#statements.drop.run(stream);
      return () => void this.#known.delete(stream);
    });
  }

  async close(): Promise<void> {
    if (!this.#db.isOpen) return;
    this.#db.close();
    await this.#log.close();
    await this.#reserve.close();
  }

  /**
   * Runs `work` whole or not at all; what it returns runs once it has lasted.
   *
   * @param isSingle Whether it changes something by one statement alone, which is a transaction by itself
   */
  #transaction(work: () => (() => void) | void, isSingle = false): Promise<void> {
    return Promise.resolve().then(() => {
      const done = this.#reserve.use(() => isSingle ? work() : this.#attempt(work));
      this.#reserve.refill();
      done?.();
    }).catch((error) => {
      throw isFullDisk(error) ? noRoom("Record the change", error) : error;
    });
  }

  #attempt(work: () => (() => void) | void): (() => void) | void {
    this.#db.exec("BEGIN IMMEDIATE");
    try {
      const done = work();
      this.#db.exec("COMMIT");
      return done;
    } catch (error) {
      // A failed COMMIT (disk full) may have rolled back by itself.
      if (this.#db.isTransaction) this.#db.exec("ROLLBACK");
      throw error;
    }
  }

  /** Changes a stream as one transaction, which resolves with what it has then. */
  async #changed(stream: string, change: (known: Known) => Known, isSingle = false): Promise<StreamExtent> {
    await this.#transaction(() => {
      const known = change(this.#knownOf(stream));
      return () => void this.#known.set(stream, known);
    }, isSingle);
    return extentOf(this.#knownOf(stream));
  }

  #dropBeyond(stream: string, known: Known, retention: Retention, most: Amount): Known {
    const { sizes, cut } = this.#statements;
    const lengths = (function* () {
      for (const row of sizes.iterate(stream)) yield Number(row.size);
    })();
    const amount = { records: known.last - known.first + 1, bytes: known.bytes };
    const gone = countBeyond(retention, amount, lengths, most);
    if (gone.records === 0) return known;
    cut.run(stream, known.first + gone.records - 1);
    return { ...known, first: known.first + gone.records, bytes: known.bytes - gone.bytes };
  }

  #knownOf(stream: string): Known {
    const known = this.#known.get(stream);
    if (known !== undefined) return known;
    const row = this.#statements.extent.get(stream);
    const [first, last] = [Number(row?.first ?? 1), Number(row?.last ?? 0)];
    const time = this.#statements.time.get(stream, last)?.time;
    const found = { first, last, bytes: Number(row?.bytes ?? 0), time: time === undefined ? undefined : Number(time) };
    this.#known.set(stream, found);
    return found;
  }
}

/** The known extent of a stream, whose numbers have no gaps. */
interface Known extends StreamExtent {
  bytes: number;
}

type Statements = Record<
  "load" | "has" | "put" | "remove" | "append" | "cut" | "page" | "drop" | "extent" | "time" | "sizes",
  StatementSync
>;

function prepareStatements(db: DatabaseSync): Statements {
  return {
    load: db.prepare("SELECT tab, key, value FROM records"),
    has: db.prepare("SELECT 1 FROM records WHERE tab = ? AND key = ?"),
    put: db.prepare(
      "INSERT INTO records (tab, key, value) VALUES (?, ?, ?) ON CONFLICT (tab, key) DO UPDATE SET value = excluded.value",
    ),
    remove: db.prepare("DELETE FROM records WHERE tab = ? AND key = ?"),
    append: db.prepare("INSERT INTO streams (stream, seq, time, value) VALUES (?, ?, ?, ?)"),
    cut: db.prepare("DELETE FROM streams WHERE stream = ? AND seq <= ?"),
    page: db.prepare(
      "SELECT seq, time, value FROM streams WHERE stream = ? AND seq > ? AND seq <= ? AND time >= ? AND octet_length(value) <= ? ORDER BY seq",
    ),
    drop: db.prepare("DELETE FROM streams WHERE stream = ?"),
    // Lengths stand before the values they are of, which are not read.
    extent: db.prepare(
      "SELECT min(seq) AS first, max(seq) AS last, sum(octet_length(value)) AS bytes FROM streams WHERE stream = ?",
    ),
    time: db.prepare("SELECT time FROM streams WHERE stream = ? AND seq = ?"),
    sizes: db.prepare("SELECT octet_length(value) AS size FROM streams WHERE stream = ? ORDER BY seq"),
  };
}

/** Returns the module when a store is opened: imported, a Node that lacks it would end with its own words before anything could be said. */
function loadSQLite(): typeof import("node:sqlite") {
  const sqlite = process.getBuiltinModule?.("node:sqlite");
  if (sqlite !== undefined) return sqlite;
  throw new EngineError(
    "unsupported",
    `Open the store: Node ${process.versions.node} has no SQLite; use Node 24 or Deno`,
  );
}
