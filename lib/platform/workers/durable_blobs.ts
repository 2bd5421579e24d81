import { EngineError } from "../../engine/errors.ts";
import { Locks } from "../../engine/locks.ts";
import type { Blobs, Codec, PutOptions } from "../../engine/ports.ts";
import { BlobIntake, hexOf } from "../blob_intake.ts";
import type { DurableObjectState } from "./runtime.ts";

/** Bytes per row: a value holds 2 MB at the most. */
const CHUNK = 1024 * 1024;

/**
 * {@linkcode Blobs} in a Durable Object's SQLite, in rows of 1 MiB. `parts` says which of them are whole; what is staged under a
 * digest is cut to whole rows.
 */
export class DurableBlobs implements Blobs {
  readonly #storage: DurableObjectState["storage"];
  readonly #codec: Pick<Codec, "hash">;
  readonly #locks = new Locks();

  /** Makes the tables where there are none, and throws away what no digest was known of. */
  constructor({ storage }: DurableObjectState, codec: Pick<Codec, "hash">) {
    this.#storage = storage;
    this.#codec = codec;
    storage.sql.exec(`
      CREATE TABLE IF NOT EXISTS parts (
        id INTEGER PRIMARY KEY, digest TEXT, whole INTEGER NOT NULL, size INTEGER NOT NULL
      );
      CREATE UNIQUE INDEX IF NOT EXISTS parts_by_digest ON parts (digest);
      CREATE TABLE IF NOT EXISTS chunks (
        part INTEGER NOT NULL, n INTEGER NOT NULL, bytes BLOB NOT NULL, PRIMARY KEY (part, n)
      ) WITHOUT ROWID;
      DELETE FROM chunks WHERE part IN (SELECT id FROM parts WHERE digest IS NULL);
      DELETE FROM parts WHERE digest IS NULL;
    `);
  }

  stat(digest: string): Promise<{ size: number } | undefined> {
    const part = this.#part(digest);
    return Promise.resolve(part?.whole ? { size: part.size } : undefined);
  }

  open(digest: string, range?: { start: number; end?: number }): Promise<ReadableStream<Uint8Array> | undefined> {
    const part = this.#part(digest);
    if (!part?.whole) return Promise.resolve(undefined);
    return Promise.resolve(this.#read(part.id, range?.start ?? 0, Math.min(range?.end ?? part.size, part.size)));
  }

  async put(
    source: ReadableStream<Uint8Array>,
    options: PutOptions = {},
  ): Promise<{ digest: string; size: number }> {
    const { digest } = options;
    if (digest === undefined) return await this.#put(source, options);
    hexOf(digest);
    return await this.#locks.with(digest, async () => {
      const known = await this.stat(digest);
      if (!known) return await this.#put(source, options);
      await source.cancel();
      return { digest, size: known.size };
    }, options.signal);
  }

  staged(digest: string): Promise<number> {
    const part = this.#part(digest);
    return Promise.resolve(part === undefined || part.whole ? 0 : part.size);
  }

  async unstage(digest?: string): Promise<void> {
    if (digest !== undefined) {
      return await this.#locks.with(digest, () => {
        const part = this.#part(digest);
        if (part && !part.whole) this.#forget(part.id);
        return Promise.resolve();
      });
    }
    const rows = this.#storage.sql.exec("SELECT digest FROM parts WHERE whole = 0 AND digest IS NOT NULL").toArray();
    for (const row of rows) if (!this.#locks.isHeld(String(row.digest))) await this.unstage(String(row.digest));
  }

  async restage(digest: string): Promise<void> {
    await this.#locks.with(digest, () => {
      this.#storage.sql.exec("UPDATE parts SET whole = 0 WHERE digest = ?", digest);
      return this.#storage.sync();
    });
  }

  async delete(digest: string): Promise<void> {
    const part = this.#part(digest);
    if (part?.whole) this.#forget(part.id);
    await this.#storage.sync();
  }

  async *list(): AsyncIterable<{ digest: string; size: number }> {
    const rows = this.#storage.sql.exec("SELECT digest, size FROM parts WHERE whole = 1").toArray();
    for (const row of rows) yield { digest: String(row.digest), size: Number(row.size) };
  }

  async #put(source: ReadableStream<Uint8Array>, options: PutOptions): Promise<{ digest: string; size: number }> {
    const intake = new BlobIntake(this.#codec.hash(), options);
    let writer: ChunkWriter | undefined;
    try {
      writer = this.#resume(intake, options);
      await source.pipeTo(new WritableStream({ write: (bytes) => writer?.add(bytes, intake) }), {
        signal: options.signal,
      });
      writer.flush();
      const digest = await intake.finish();
      this.#publish(writer.part, digest, intake.size);
      await this.#storage.sync();
      return { digest, size: intake.size };
    } catch (error) {
      if (!source.locked) await source.cancel(error).catch(() => {});
      const isWrong = error instanceof EngineError && (error.code === "corrupt" || error.code === "limit");
      if (writer !== undefined && (options.digest === undefined || isWrong)) this.#forget(writer.part);
      else writer?.flush();
      throw error;
    }
  }

  /** Digests what is staged up to the offset, and cuts off what lies behind it. */
  #resume(intake: BlobIntake, { digest, offset = 0 }: PutOptions): ChunkWriter {
    const { sql } = this.#storage;
    const staged = digest === undefined ? undefined : this.#part(digest);
    if (offset > (staged?.size ?? 0)) {
      throw new EngineError("invalid", `Resume ${digest} at ${offset}: only ${staged?.size ?? 0} bytes are staged`);
    }
    const id = staged?.id ??
      Number(
        sql.exec("INSERT INTO parts (digest, whole, size) VALUES (?, 0, 0) RETURNING id", digest ?? null).toArray()[0]
          .id,
      );
    const writer = new ChunkWriter(this.#storage, id);
    for (let n = 0; n * CHUNK < offset; n++) writer.add(this.#chunk(id, n).subarray(0, offset - n * CHUNK), intake);
    sql.exec("DELETE FROM chunks WHERE part = ? AND n >= ?", id, writer.count);
    return writer;
  }

  #publish(id: number, digest: string, size: number): void {
    this.#storage.transactionSync(() => {
      // Two puts without a digest may have brought the same content.
      const other = this.#part(digest);
      if (other && other.id !== id) this.#forget(other.whole ? id : other.id);
      this.#storage.sql.exec("UPDATE parts SET digest = ?, whole = 1, size = ? WHERE id = ?", digest, size, id);
    });
  }

  #read(id: number, start: number, end: number): ReadableStream<Uint8Array> {
    let at = start;
    return new ReadableStream<Uint8Array>({
      pull: (controller) => {
        if (at >= end) return controller.close();
        const n = Math.floor(at / CHUNK);
        const bytes = this.#chunk(id, n).subarray(at - n * CHUNK, end - n * CHUNK);
        at += bytes.length;
        controller.enqueue(bytes);
      },
    }, { highWaterMark: 0 });
  }

  #chunk(id: number, n: number): Uint8Array {
    const bytes = this.#storage.sql.exec("SELECT bytes FROM chunks WHERE part = ? AND n = ?", id, n).toArray()[0]
      ?.bytes;
    if (!(bytes instanceof ArrayBuffer)) throw new EngineError("no_such_image", "Read a blob: it has been deleted");
    return new Uint8Array(bytes);
  }

  #part(digest: string): { id: number; whole: boolean; size: number } | undefined {
    const row = this.#storage.sql.exec("SELECT id, whole, size FROM parts WHERE digest = ?", digest).toArray()[0];
    return row && { id: Number(row.id), whole: row.whole === 1, size: Number(row.size) };
  }

  #forget(id: number): void {
    this.#storage.sql.exec("DELETE FROM chunks WHERE part = ?", id);
    this.#storage.sql.exec("DELETE FROM parts WHERE id = ?", id);
  }
}

/** Writes rows of {@linkcode CHUNK} bytes. */
class ChunkWriter {
  readonly part: number;
  /** Whole rows written. */
  count = 0;
  readonly #storage: DurableObjectState["storage"];
  #buffer = new Uint8Array(CHUNK);
  #filled = 0;

  constructor(storage: DurableObjectState["storage"], part: number) {
    this.#storage = storage;
    this.part = part;
  }

  /** Checks the bytes and takes them, copied: who sent them may use their buffer again. */
  add(bytes: Uint8Array, intake: BlobIntake): void {
    intake.take(bytes.slice());
    for (let at = 0; at < bytes.length;) {
      const piece = bytes.subarray(at, at + CHUNK - this.#filled);
      this.#buffer.set(piece, this.#filled);
      this.#filled += piece.length;
      at += piece.length;
      if (this.#filled < CHUNK) continue;
      this.#write();
      this.count++;
      this.#filled = 0;
    }
  }

  /** Writes the row that is begun. */
  flush(): void {
    if (this.#filled > 0) this.#write();
    this.#size(this.count * CHUNK + this.#filled);
  }

  #write(): void {
    this.#storage.transactionSync(() => {
      this.#storage.sql.exec(
        "INSERT OR REPLACE INTO chunks (part, n, bytes) VALUES (?, ?, ?)",
        this.part,
        this.count,
        this.#buffer.slice(0, this.#filled).buffer,
      );
      this.#size(this.count * CHUNK + this.#filled);
    });
  }

  #size(size: number): void {
    this.#storage.sql.exec("UPDATE parts SET size = ? WHERE id = ?", size, this.part);
  }
}
