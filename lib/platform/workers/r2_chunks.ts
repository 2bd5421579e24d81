import { blobDeleted, type Chunks } from "./chunks.ts";
import type { R2Bucket } from "./runtime.ts";

/** Keys that one call lists or deletes at the most. */
const PAGE = 1000;

/**
 * {@linkcode Chunks} as objects of an R2 bucket, `blobs/BLOB/N`. R2 takes only what has a known length, and parts of a
 * multipart upload can neither be read nor cut before it is complete; objects of one size each can, so that a transfer
 * that was cut goes on where it was.
 */
export class R2Chunks implements Chunks {
  readonly size: number;
  readonly #bucket: R2Bucket;

  /** `size` is what an isolate holds of each blob under way; a deployment must not change it. */
  constructor(bucket: R2Bucket, size = 8 * 1024 * 1024) {
    this.#bucket = bucket;
    this.size = size;
  }

  async get(blob: number, n: number): Promise<Uint8Array> {
    const object = await this.#bucket.get(chunkKey(blob, n));
    if (object === null) throw blobDeleted();
    return new Uint8Array(await object.arrayBuffer());
  }

  async put(blob: number, n: number, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    await this.#bucket.put(chunkKey(blob, n), bytes);
  }

  async drop(blob: number, from: number): Promise<void> {
    // Numbers are written in one length: keys are in order.
    const startAfter = from === 0 ? undefined : chunkKey(blob, from - 1);
    for (;;) {
      const { objects } = await this.#bucket.list({ prefix: `blobs/${blob}/`, startAfter, limit: PAGE });
      if (objects.length === 0) return;
      await this.#bucket.delete(objects.map((object) => object.key));
    }
  }
}

function chunkKey(blob: number, n: number): string {
  return `blobs/${blob}/${String(n).padStart(8, "0")}`;
}
