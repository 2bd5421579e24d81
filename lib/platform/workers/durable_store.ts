import type {
  Change,
  Retention,
  Row,
  Store,
  StreamEntry,
  StreamExtent,
  StreamRange,
} from "../../engine/ports/ports.ts";
import { type Amount, countBeyond, extentOf, sizeOf } from "../storage/retention.ts";
import type { DurableObjectState } from "./runtime.ts";

/** How much of a stream is read at once; a single record may be larger. */
const PAGE = { records: 512, bytes: 256 * 1024 };
/** How much of a stream is dropped at once, besides as much as is appended. */
const PIECE = { records: 1024, bytes: 2 << 20 };

/** The known extent of a stream, whose numbers have no gaps. */
interface Known extends StreamExtent {
  bytes: number;
}

/** A {@linkcode Store} in a Durable Object's SQLite. A commit has lasted when it resolves. */
export class DurableStore implements Store {
  readonly #storage: DurableObjectState["storage"];
  /** The known extent of each stream; absent where it has to be queried. */
  readonly #known = new Map<string, Known>();

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

  append(
    stream: string,
    entries: readonly Omit<StreamEntry, "seq">[],
    retention: Retention = {},
  ): Promise<StreamExtent> {
    return this.#changed(stream, (known) => {
      const { sql } = this.#storage;
      let { last, bytes, time } = known;
      for (const entry of entries) {
        time = entry.time;
        const { value } = entry;
        sql.exec("INSERT INTO streams (stream, seq, time, value) VALUES (?, ?, ?, ?)", stream, ++last, time, value);
        bytes += sizeOf(value);
      }
      // Kept beside the entries: numbers go on rising when retention has dropped them all.
      sql.exec("INSERT OR REPLACE INTO stream_ends (stream, seq) VALUES (?, ?)", stream, last);
      const most = { records: entries.length + PIECE.records, bytes: bytes - known.bytes + PIECE.bytes };
      return this.#dropBeyond(stream, { ...known, last, bytes, time }, retention, most);
    });
  }

  async trim(stream: string, retention: Retention): Promise<boolean> {
    const before = this.#knownOf(stream).first;
    const { first } = await this.#changed(stream, (known) => this.#dropBeyond(stream, known, retention, PIECE));
    return first !== before;
  }

  extent(stream: string): Promise<StreamExtent> {
    return Promise.resolve().then(() => extentOf(this.#knownOf(stream)));
  }

  async *read(stream: string, range: StreamRange = {}): AsyncIterable<StreamEntry> {
    const { since = -Infinity, most = Number.MAX_VALUE, last: end = Number.MAX_SAFE_INTEGER } = range;
    let { after = 0 } = range;
    // In pages: a cursor does not outlive the next write, and one that is not read to its end is in the way of others.
    const where = "FROM streams WHERE stream = ? AND seq > ? AND seq <= ? AND time >= ? AND octet_length(value) <= ?";
    const from = Math.max(since, -Number.MAX_VALUE);
    for (;;) {
      const { sql } = this.#storage;
      const lengths = `SELECT seq, octet_length(value) AS size ${where} ORDER BY seq LIMIT ?`;
      let size = 0;
      let last: number | undefined;
      for (const row of sql.exec(lengths, stream, after, end, from, most, PAGE.records).toArray()) {
        if (last !== undefined && (size += Number(row.size)) > PAGE.bytes) break;
        last = Number(row.seq);
      }
      if (last === undefined) return;
      const page = `SELECT seq, time, value ${where} ORDER BY seq`;
      const rows = sql.exec(page, stream, after, last, from, most).toArray();
      after = last;
      for (const row of rows) yield { seq: Number(row.seq), time: Number(row.time), value: String(row.value) };
    }
  }

  drop(stream: string): Promise<void> {
    this.#known.delete(stream);
    return this.#lasting(() => {
      this.#storage.sql.exec("DELETE FROM streams WHERE stream = ?", stream);
      this.#storage.sql.exec("DELETE FROM stream_ends WHERE stream = ?", stream);
    });
  }

  close(): Promise<void> {
    return this.#storage.sync();
  }

  /** Changes a stream as one transaction, which resolves with what it has then. */
  async #changed(stream: string, change: (known: Known) => Known): Promise<StreamExtent> {
    const before = this.#knownOf(stream);
    let after = before;
    await this.#lasting(() => void (after = change(before)), () => void this.#known.set(stream, after));
    return extentOf(after);
  }

  #dropBeyond(stream: string, known: Known, retention: Retention, most: Amount): Known {
    const { sql } = this.#storage;
    const lengths = (function* () {
      const query = "SELECT octet_length(value) AS size FROM streams WHERE stream = ? ORDER BY seq LIMIT ?";
      for (const row of sql.exec(query, stream, most.records).toArray()) yield Number(row.size);
    })();
    const amount = { records: known.last - known.first + 1, bytes: known.bytes };
    const gone = countBeyond(retention, amount, lengths, most);
    if (gone.records === 0) return known;
    const first = known.first + gone.records;
    sql.exec("DELETE FROM streams WHERE stream = ? AND seq < ?", stream, first);
    return { ...known, first, bytes: known.bytes - gone.bytes };
  }

  #knownOf(stream: string): Known {
    const known = this.#known.get(stream);
    if (known !== undefined) return known;
    const one = (query: string, ...values: (string | number)[]) =>
      this.#storage.sql.exec(query, ...values).toArray()[0];
    const last = Number(one("SELECT seq FROM stream_ends WHERE stream = ?", stream)?.seq ?? 0);
    const sums = "SELECT min(seq) AS first, sum(octet_length(value)) AS bytes FROM streams WHERE stream = ?";
    const { first, bytes } = one(sums, stream) ?? {};
    const time = one("SELECT time FROM streams WHERE stream = ? AND seq = ?", stream, last)?.time;
    const found = {
      first: first === null || first === undefined ? last + 1 : Number(first),
      last,
      bytes: Number(bytes ?? 0),
      time: time === undefined ? undefined : Number(time),
    };
    this.#known.set(stream, found);
    return found;
  }

  async #lasting(work: () => void, written?: () => void): Promise<void> {
    this.#storage.transactionSync(work);
    written?.();
    await this.#storage.sync();
  }
}
