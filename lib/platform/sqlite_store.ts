import { type FileHandle, open } from "node:fs/promises";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { EngineError } from "../engine/errors.ts";
import type { Change, Retention, Row, Store, StreamEntry } from "../engine/ports.ts";

/** The layout below; a file with a higher number was written by a later Gantry. */
const SCHEMA_VERSION = 1;
/** "GNTY", so that another program's database is not taken for ours. */
const APPLICATION_ID = 0x474e5459;
const PAGE = 512;
/**
 * Goes before a secret, as JSON allows. SQLite keeps the first bytes of a row (1002 at most, of pages of 4 KiB) in the pages of its tree, and
 * copies them as the tree grows: a copy may stay behind what is zeroed later. What follows has pages of its own, which stay where they are.
 */
const SECRET_INDENT = " ".repeat(1024);

const SCHEMA = `
CREATE TABLE records (
  tab TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (tab, key)
) STRICT, WITHOUT ROWID;
CREATE TABLE streams (
  stream TEXT NOT NULL, seq INTEGER NOT NULL, time REAL NOT NULL, value TEXT NOT NULL, PRIMARY KEY (stream, seq)
) STRICT, WITHOUT ROWID;
PRAGMA application_id = ${APPLICATION_ID};
PRAGMA user_version = ${SCHEMA_VERSION};
`;

/**
 * A {@linkcode Store} in one SQLite file. A commit is on the disk when it resolves; what was appended goes there with the
 * next commit. The file belongs to one process at a time. Runs on Deno and Node through `node:sqlite`.
 *
 * `node:sqlite` blocks its thread, and a disk takes milliseconds to say that it has something. So SQLite only writes its
 * log here (`synchronous = NORMAL`), and the log is made to last beside it, without blocking: what `FULL` would do.
 */
export class SQLiteStore implements Store {
  readonly #db: DatabaseSync;
  readonly #log: FileHandle;
  readonly #statements: Statements;
  /** The log holds secrets that were deleted. */
  #forgets = false;
  /** Why the log no longer lasts. */
  #broken?: unknown;
  /** The last sequence number by stream. */
  readonly #last = new Map<string, number>();

  private constructor(db: DatabaseSync, log: FileHandle) {
    this.#db = db;
    this.#log = log;
    this.#statements = prepare(db);
  }

  /**
   * Opens the file, making it where there is none. Throws `EngineError`: `in_use` when another process has it, `corrupt` when
   * it is no database or a damaged one, `unsupported` when a later version wrote it. Nothing in the file is changed then.
   */
  static async open(path: string): Promise<SQLiteStore> {
    const db = new DatabaseSync(path);
    try {
      setUp(db, path);
      // Never the database itself: closing any handle of that would give up SQLite's locks on it.
      return new SQLiteStore(db, await open(`${path}-wal`, "r"));
    } catch (error) {
      db.close();
      throw explain(error, path);
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

  async commit(changes: readonly Change[]): Promise<void> {
    await this.#transaction(() => {
      for (const { table, key, value, isSecret = false } of changes) {
        this.#forgets ||= isSecret && this.#statements.has.get(table, key) !== undefined;
        if (value === null) this.#statements.remove.run(table, key);
        else this.#statements.put.run(table, key, isSecret ? SECRET_INDENT + value : value);
      }
    });
    await this.#sync();
    // On a full disk the next commit does it.
    if (this.#forgets) this.#forgets = !emptyLog(this.#db);
  }

  append(stream: string, entries: readonly Omit<StreamEntry, "seq">[], retention?: Retention): Promise<void> {
    return this.#transaction(() => {
      const before = this.#lastOf(stream);
      let seq = before;
      for (const { time, value } of entries) this.#statements.append.run(stream, ++seq, time, value);
      if (retention?.records !== undefined) this.#statements.trim.run(stream, seq - retention.records);
      return () => this.#last.set(stream, seq);
    });
  }

  async *read(stream: string, since = -Infinity): AsyncIterable<StreamEntry> {
    // In pages: a cursor held open while the reader waits would keep the file from being checkpointed.
    let after = 0;
    for (;;) {
      const rows = this.#statements.page.all(stream, after, since, PAGE);
      for (const row of rows) {
        after = Number(row.seq);
        yield { seq: after, time: Number(row.time), value: String(row.value) };
      }
      if (rows.length < PAGE) return;
    }
  }

  drop(stream: string): Promise<void> {
    return this.#transaction(() => {
      this.#statements.drop.run(stream);
      return () => this.#last.delete(stream);
    });
  }

  async close(): Promise<void> {
    if (!this.#db.isOpen) return;
    this.#db.close();
    await this.#log.close();
  }

  /** Has everything written so far last. After a failure the kernel forgets what it could not write: nothing lasts then. */
  async #sync(): Promise<void> {
    if (this.#broken === undefined) {
      try {
        return await this.#log.datasync();
      } catch (error) {
        this.#broken = error;
      }
    }
    throw new Error("Commit: the log cannot be written to the disk", { cause: this.#broken });
  }

  /** Runs `work` whole or not at all; what it returns runs once it has lasted. */
  #transaction(work: () => (() => void) | void): Promise<void> {
    return Promise.resolve().then(() => {
      this.#db.exec("BEGIN IMMEDIATE");
      let done: (() => void) | void;
      try {
        done = work();
        this.#db.exec("COMMIT");
      } catch (error) {
        // A failed COMMIT (disk full) may have rolled back by itself.
        if (this.#db.isTransaction) this.#db.exec("ROLLBACK");
        throw error;
      }
      done?.();
    });
  }

  #lastOf(stream: string): number {
    const known = this.#last.get(stream);
    if (known !== undefined) return known;
    return Number(this.#statements.last.get(stream)?.last ?? 0);
  }
}

type Statements = Record<
  "load" | "has" | "put" | "remove" | "append" | "trim" | "page" | "drop" | "last",
  StatementSync
>;

function prepare(db: DatabaseSync): Statements {
  return {
    load: db.prepare("SELECT tab, key, value FROM records"),
    has: db.prepare("SELECT 1 FROM records WHERE tab = ? AND key = ?"),
    put: db.prepare(
      "INSERT INTO records (tab, key, value) VALUES (?, ?, ?) ON CONFLICT (tab, key) DO UPDATE SET value = excluded.value",
    ),
    remove: db.prepare("DELETE FROM records WHERE tab = ? AND key = ?"),
    append: db.prepare("INSERT INTO streams (stream, seq, time, value) VALUES (?, ?, ?, ?)"),
    trim: db.prepare("DELETE FROM streams WHERE stream = ? AND seq <= ?"),
    page: db.prepare(
      "SELECT seq, time, value FROM streams WHERE stream = ? AND seq > ? AND time >= ? ORDER BY seq LIMIT ?",
    ),
    drop: db.prepare("DELETE FROM streams WHERE stream = ?"),
    last: db.prepare("SELECT max(seq) AS last FROM streams WHERE stream = ?"),
  };
}

function setUp(db: DatabaseSync, path: string): void {
  // Exclusive: two engines over one state would each overwrite what the other remembers.
  db.exec("PRAGMA locking_mode = EXCLUSIVE");
  const version = numberOf(db, "user_version");
  const application = numberOf(db, "application_id");
  const tables = Number(db.prepare("SELECT count(*) AS n FROM sqlite_schema").get()?.n);
  const isNew = version === 0 && application === 0 && tables === 0;
  if (!isNew && application !== APPLICATION_ID) {
    throw new EngineError("corrupt", `Open "${path}": it is another program's database`);
  }
  if (version > SCHEMA_VERSION) {
    const detail = `its schema is version ${version}, this Gantry knows up to ${SCHEMA_VERSION}`;
    throw new EngineError("unsupported", `Open "${path}": ${detail}`);
  }
  db.exec("PRAGMA journal_mode = WAL");
  db.exec("PRAGMA synchronous = NORMAL");
  // What is deleted is zeroed: a removed secret is not to be found in the file.
  db.exec("PRAGMA secure_delete = ON");
  // Takes the file's lock now, not at the first commit.
  db.exec("BEGIN IMMEDIATE");
  if (isNew) db.exec(SCHEMA);
  db.exec("COMMIT");
  // A process that was killed may have left removed secrets there.
  emptyLog(db);
  const check = String(db.prepare("PRAGMA quick_check(1)").get()?.quick_check);
  if (check !== "ok") throw new EngineError("corrupt", `Open "${path}": the database is damaged: ${check}`);
}

/** Moves what the log has into the file, and empties it: until then it holds what was deleted meanwhile. Tells whether it could. */
function emptyLog(db: DatabaseSync): boolean {
  try {
    return db.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get()?.busy === 0;
  } catch {
    return false;
  }
}

function numberOf(db: DatabaseSync, pragma: "user_version" | "application_id"): number {
  return Number(db.prepare(`PRAGMA ${pragma}`).get()?.[pragma]);
}

function explain(error: unknown, path: string): unknown {
  if (!(error instanceof Error) || error instanceof EngineError) return error;
  // Deno's node:sqlite gives SQLite's text and not always its number.
  if (/locked|busy/i.test(error.message)) {
    return new EngineError("in_use", `Open "${path}": another process has it open`, { cause: error });
  }
  if (/not a database|malformed|corrupt/i.test(error.message)) {
    return new EngineError("corrupt", `Open "${path}": ${error.message}`, { cause: error });
  }
  return error;
}
