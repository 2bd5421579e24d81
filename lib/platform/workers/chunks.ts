import { EngineError } from "../../engine/errors.ts";
import type { DurableObjectState } from "./runtime.ts";

/** The storage of the bytes of blobs: chunks of one size, of which only a blob's last may be shorter. */
export interface Chunks {
  /** Bytes of a chunk. */
  readonly size: number;
  /** Reads a chunk; throws `EngineError("no_such_image")` where there is none (any more). */
  get(blob: number, n: number): Promise<Uint8Array>;
  /** Writes a chunk, over the one that was there. The bytes may change once it has resolved. */
  put(blob: number, n: number, bytes: Uint8Array<ArrayBuffer>): Promise<void>;
  /** Deletes a blob's chunks from the one numbered `from` on. Idempotent. */
  drop(blob: number, from: number): Promise<void>;
}

/** {@linkcode Chunks} in the rows of a Durable Object's SQLite. A value holds 2 MB at the most. */
export class SQLChunks implements Chunks {
  readonly size = 1024 * 1024;
  readonly #sql: DurableObjectState["storage"]["sql"];

  /** Makes the table where there is none. */
  constructor({ storage }: DurableObjectState) {
    this.#sql = storage.sql;
    this.#sql.exec(`
      CREATE TABLE IF NOT EXISTS chunks (
        part INTEGER NOT NULL, n INTEGER NOT NULL, bytes BLOB NOT NULL, PRIMARY KEY (part, n)
      ) WITHOUT ROWID;
    `);
  }

  get(blob: number, n: number): Promise<Uint8Array> {
    const [row] = this.#sql.exec("SELECT bytes FROM chunks WHERE part = ? AND n = ?", blob, n).toArray();
    if (!(row?.bytes instanceof ArrayBuffer)) return Promise.reject(blobDeleted());
    const bytes = new Uint8Array(row.bytes).slice();
    // The collector does not know how large values of SQLite are: what is left to it piles up.
    row.bytes.transfer(0);
    return Promise.resolve(bytes);
  }

  put(blob: number, n: number, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    const whole = bytes.length === bytes.buffer.byteLength ? bytes : bytes.slice();
    this.#sql.exec("INSERT OR REPLACE INTO chunks (part, n, bytes) VALUES (?, ?, ?)", blob, n, whole.buffer);
    return Promise.resolve();
  }

  drop(blob: number, from: number): Promise<void> {
    this.#sql.exec("DELETE FROM chunks WHERE part = ? AND n >= ?", blob, from);
    return Promise.resolve();
  }
}

/** The error for a chunk that went while its blob was read. */
export function blobDeleted(): EngineError {
  return new EngineError("no_such_image", "Read a blob: it has been deleted");
}
