import type { Change, Retention, Row, Store, StreamEntry } from "../../engine/ports.ts";
import type { DurableObjectState } from "./runtime.ts";

const PAGE = 512;

/** A {@linkcode Store} in a Durable Object's SQLite. A commit has lasted when it resolves. */
export class DurableStore implements Store {
  readonly #storage: DurableObjectState["storage"];

  /** Makes the tables where there are none. */
  constructor({ storage }: DurableObjectState) {
    this.#storage = storage;
    storage.sql.exec(`
      CREATE TABLE IF NOT EXISTS records (
        tab TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (tab, key)
      ) WITHOUT ROWID;
      CREATE TABLE IF NOT EXISTS streams (
        stream TEXT NOT NULL, seq INTEGER NOT NULL, time REAL NOT NULL, value TEXT NOT NULL, PRIMARY KEY (stream, seq)
      ) WITHOUT ROWID;
      CREATE TABLE IF NOT EXISTS stream_ends (stream TEXT PRIMARY KEY, seq INTEGER NOT NULL) WITHOUT ROWID;
    `);
  }

  load(): Promise<Row[]> {
    const rows = this.#storage.sql.exec("SELECT tab, key, value FROM records").toArray();
    return Promise.resolve(
      rows.map((row) => ({ table: String(row.tab), key: String(row.key), value: String(row.value) })),
    );
  }

  commit(changes: readonly Change[]): Promise<void> {
    return this.#lasting(() => {
      for (const { table, key, value } of changes) {
        if (value === null) this.#storage.sql.exec("DELETE FROM records WHERE tab = ? AND key = ?", table, key);
        else {this.#storage.sql.exec(
            "INSERT OR REPLACE INTO records (tab, key, value) VALUES (?, ?, ?)",
            table,
            key,
            value,
          );}
      }
    });
  }

  append(stream: string, entries: readonly Omit<StreamEntry, "seq">[], retention?: Retention): Promise<void> {
    return this.#lasting(() => {
      const { sql } = this.#storage;
      // Kept beside the entries: numbers go on rising when retention has dropped them all.
      let seq = Number(sql.exec("SELECT seq FROM stream_ends WHERE stream = ?", stream).toArray()[0]?.seq ?? 0);
      for (const { time, value } of entries) {
        sql.exec("INSERT INTO streams (stream, seq, time, value) VALUES (?, ?, ?, ?)", stream, ++seq, time, value);
      }
      sql.exec("INSERT OR REPLACE INTO stream_ends (stream, seq) VALUES (?, ?)", stream, seq);
      if (retention?.records === undefined) return;
      sql.exec("DELETE FROM streams WHERE stream = ? AND seq <= ?", stream, seq - retention.records);
    });
  }

  async *read(stream: string, since = -Number.MAX_VALUE): AsyncIterable<StreamEntry> {
    // In pages: a cursor does not outlive the next write.
    let after = 0;
    for (;;) {
      const rows = this.#storage.sql.exec(
        "SELECT seq, time, value FROM streams WHERE stream = ? AND seq > ? AND time >= ? ORDER BY seq LIMIT ?",
        stream,
        after,
        Math.max(since, -Number.MAX_VALUE),
        PAGE,
      ).toArray();
      for (const row of rows) {
        after = Number(row.seq);
        yield { seq: after, time: Number(row.time), value: String(row.value) };
      }
      if (rows.length < PAGE) return;
    }
  }

  drop(stream: string): Promise<void> {
    return this.#lasting(() => {
      this.#storage.sql.exec("DELETE FROM streams WHERE stream = ?", stream);
      this.#storage.sql.exec("DELETE FROM stream_ends WHERE stream = ?", stream);
    });
  }

  close(): Promise<void> {
    return this.#storage.sync();
  }

  async #lasting(work: () => void): Promise<void> {
    this.#storage.transactionSync(work);
    await this.#storage.sync();
  }
}
