import { EngineError } from "../../engine/errors.ts";
import { Locks } from "../../engine/store/locks.ts";
import type { Blobs, Codec, PutOptions } from "../../engine/ports/ports.ts";
import { BlobIntake, hexOf } from "../storage/blob_intake.ts";
import type { Chunks } from "./chunks.ts";
import { freeWorkerBytes } from "./free.ts";
import type { DurableObjectState } from "./runtime.ts";

/**
 * {@linkcode Blobs} of a Durable Object: what there is stands in its SQLite (`parts`, with what is whole marked), the bytes are in
 * {@linkcode Chunks}. The bytes that are staged under a digest may end inside a chunk.
 */
export class DurableBlobs implements Blobs {
  readonly #storage: DurableObjectState["storage"];
  readonly #codec: Pick<Codec, "hash">;
  readonly #chunks: Chunks;
  readonly #locks = new Locks();

  private constructor({ storage }: DurableObjectState, codec: Pick<Codec, "hash">, chunks: Chunks) {
    this.#storage = storage;
    this.#codec = codec;
    this.#chunks = chunks;
  }

  /** Makes the table where there is none, and throws away what no digest was known of, and what was about to go. */
  static async open(state: DurableObjectState, codec: Pick<Codec, "hash">, chunks: Chunks): Promise<DurableBlobs> {
    state.storage.sql.exec(`
      CREATE TABLE IF NOT EXISTS parts (
        id INTEGER PRIMARY KEY, digest TEXT, whole INTEGER NOT NULL, size INTEGER NOT NULL
      );
      CREATE UNIQUE INDEX IF NOT EXISTS parts_by_digest ON parts (digest);
    `);
    const blobs = new DurableBlobs(state, codec, chunks);
    const rows = state.storage.sql.exec("SELECT id FROM parts WHERE digest IS NULL").toArray();
    for (const { id } of rows) await blobs.#forget(Number(id));
    return blobs;
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

  listStaged(): Promise<string[]> {
    const rows = this.#storage.sql.exec("SELECT digest FROM parts WHERE whole = 0 AND digest IS NOT NULL").toArray();
    return Promise.resolve(rows.map(({ digest }) => String(digest)));
  }

  async unstage(digest: string): Promise<void> {
    await this.#locks.with(digest, () => {
      const part = this.#part(digest);
      return part && !part.whole ? this.#forget(part.id) : Promise.resolve();
    });
  }

  async restage(digest: string): Promise<void> {
    await this.#locks.with(digest, () => {
      this.#storage.sql.exec("UPDATE parts SET whole = 0 WHERE digest = ?", digest);
      return this.#storage.sync();
    });
  }

  async delete(digest: string): Promise<void> {
    const part = this.#part(digest);
    if (part?.whole) await this.#forget(part.id);
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
      writer = await this.#resume(intake, options);
      const write = async (bytes: Uint8Array) => {
        await writer?.add(bytes);
        freeWorkerBytes(bytes);
      };
      await source.pipeTo(new WritableStream({ write }), { signal: options.signal });
      await writer.flush();
      const digest = await intake.finish();
      await this.#publish(writer.blob, digest, intake.size);
      await this.#storage.sync();
      return { digest, size: intake.size };
    } catch (error) {
      if (!source.locked) await source.cancel(error).catch(() => {});
      const isWrong = error instanceof EngineError && (error.code === "corrupt" || error.code === "limit");
      if (writer !== undefined && (options.digest === undefined || isWrong)) await this.#forget(writer.blob);
      // Bytes that this flush cannot write either are fetched again.
      else await writer?.flush().catch(() => {});
      throw error;
    }
  }

  /** Digests what is staged up to the offset, and cuts off what lies behind it. */
  async #resume(intake: BlobIntake, { digest, offset = 0 }: PutOptions): Promise<ChunkWriter> {
    const { sql } = this.#storage;
    const staged = digest === undefined ? undefined : this.#part(digest);
    if (offset > (staged?.size ?? 0)) {
      throw new EngineError("invalid", `Resume ${digest} at ${offset}: only ${staged?.size ?? 0} bytes are staged`);
    }
    const insert = "INSERT INTO parts (digest, whole, size) VALUES (?, 0, 0) RETURNING id";
    const id = staged?.id ?? Number(sql.exec(insert, digest ?? null).toArray()[0].id);
    const writer = new ChunkWriter(this.#storage, this.#chunks, intake, id);
    const { size } = this.#chunks;
    for (let n = 0; n * size < offset; n++) {
      await writer.add((await this.#chunks.get(id, n)).subarray(0, offset - n * size));
    }
    await this.#chunks.drop(id, writer.count);
    return writer;
  }

  async #publish(id: number, digest: string, size: number): Promise<void> {
    // Two puts without a digest may have brought the same content.
    const other = this.#part(digest);
    if (other && other.id !== id) await this.#forget(other.whole ? id : other.id);
    this.#storage.sql.exec("UPDATE parts SET digest = ?, whole = 1, size = ? WHERE id = ?", digest, size, id);
  }

  #read(id: number, start: number, end: number): ReadableStream<Uint8Array> {
    const { size } = this.#chunks;
    let at = start;
    return new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        if (at >= end) return controller.close();
        const n = Math.floor(at / size);
        const bytes = (await this.#chunks.get(id, n)).subarray(at - n * size, end - n * size);
        at += bytes.length;
        controller.enqueue(bytes);
      },
    }, { highWaterMark: 0 });
  }

  #part(digest: string): { id: number; whole: boolean; size: number } | undefined {
    const row = this.#storage.sql.exec("SELECT id, whole, size FROM parts WHERE digest = ?", digest).toArray()[0];
    return row && { id: Number(row.id), whole: row.whole === 1, size: Number(row.size) };
  }

  /** Takes it out of sight first: what is cut short here is finished at the next opening. */
  async #forget(id: number): Promise<void> {
    this.#storage.sql.exec("UPDATE parts SET digest = NULL, whole = 0 WHERE id = ?", id);
    await this.#chunks.drop(id, 0);
    this.#storage.sql.exec("DELETE FROM parts WHERE id = ?", id);
  }
}

/** Writes the chunks of one blob. */
class ChunkWriter {
  /** The blob's number. */
  readonly blob: number;
  /** Whole chunks written. */
  count = 0;
  readonly #storage: DurableObjectState["storage"];
  readonly #chunks: Chunks;
  readonly #intake: BlobIntake;
  readonly #buffer: Uint8Array<ArrayBuffer>;
  #filled = 0;

  constructor(storage: DurableObjectState["storage"], chunks: Chunks, intake: BlobIntake, blob: number) {
    this.#storage = storage;
    this.#chunks = chunks;
    this.#intake = intake;
    this.#buffer = new Uint8Array(chunks.size);
    this.blob = blob;
  }

  /** Takes bytes, copied: who sent them may use their buffer again. They are digested chunk by chunk. */
  async add(bytes: Uint8Array): Promise<void> {
    this.#intake.count(bytes.length);
    for (let at = 0; at < bytes.length;) {
      const piece = bytes.subarray(at, at + this.#chunks.size - this.#filled);
      this.#buffer.set(piece, this.#filled);
      this.#filled += piece.length;
      at += piece.length;
      if (this.#filled < this.#chunks.size) continue;
      await this.#intake.digest(this.#buffer);
      await this.#chunks.put(this.blob, this.count, this.#buffer);
      this.#filled = 0;
      this.count++;
      this.#note();
    }
  }

  /** Writes the chunk that is begun. */
  async flush(): Promise<void> {
    if (this.#filled > 0) {
      const rest = this.#buffer.slice(0, this.#filled);
      await this.#intake.digest(rest);
      await this.#chunks.put(this.blob, this.count, rest);
    }
    this.#note();
  }

  /** Notes how much there is. */
  #note(): void {
    const size = this.count * this.#chunks.size + this.#filled;
    this.#storage.sql.exec("UPDATE parts SET size = ? WHERE id = ?", size, this.blob);
  }
}
