import { EngineError } from "../../engine/errors.ts";
import { Locks } from "../../engine/store/locks.ts";
import type { Blobs, Codec, PutOptions } from "../../engine/ports/ports.ts";
import { BlobIntake, hexOf } from "./blob_intake.ts";

/** The bytes of one blob, in the pieces they came in. */
interface Content {
  chunks: Uint8Array[];
  size: number;
}

/** {@linkcode Blobs} that last as long as the object; for small things, tests and trials. */
export class MemoryBlobs implements Blobs {
  readonly #codec: Pick<Codec, "hash">;
  readonly #blobs = new Map<string, Content>();
  readonly #staged = new Map<string, Content>();
  readonly #locks = new Locks();

  constructor(codec: Pick<Codec, "hash">) {
    this.#codec = codec;
  }

  stat(digest: string): Promise<{ size: number } | undefined> {
    const blob = this.#blobs.get(digest);
    return Promise.resolve(blob && { size: blob.size });
  }

  open(digest: string, range?: { start: number; end?: number }): Promise<ReadableStream<Uint8Array> | undefined> {
    const blob = this.#blobs.get(digest);
    return Promise.resolve(blob && ReadableStream.from(sliceChunks(blob, range?.start ?? 0, range?.end ?? blob.size)));
  }

  async put(
    source: ReadableStream<Uint8Array>,
    options: PutOptions = {},
  ): Promise<{ digest: string; size: number }> {
    const { digest } = options;
    if (digest === undefined) return await this.#put(source, options);
    hexOf(digest);
    return await this.#locks.with(digest, async () => {
      const known = this.#blobs.get(digest);
      if (!known) return await this.#put(source, options);
      await source.cancel();
      return { digest, size: known.size };
    }, options.signal);
  }

  staged(digest: string): Promise<number> {
    return Promise.resolve(this.#staged.get(digest)?.size ?? 0);
  }

  listStaged(): Promise<string[]> {
    return Promise.resolve([...this.#staged.keys()]);
  }

  unstage(digest: string): Promise<void> {
    this.#staged.delete(digest);
    return Promise.resolve();
  }

  restage(digest: string): Promise<void> {
    const blob = this.#blobs.get(digest);
    if (blob) this.#staged.set(digest, blob);
    this.#blobs.delete(digest);
    return Promise.resolve();
  }

  delete(digest: string): Promise<void> {
    this.#blobs.delete(digest);
    return Promise.resolve();
  }

  async *list(): AsyncIterable<{ digest: string; size: number }> {
    for (const [digest, { size }] of [...this.#blobs]) yield { digest, size };
  }

  async #put(source: ReadableStream<Uint8Array>, options: PutOptions): Promise<{ digest: string; size: number }> {
    const intake = new BlobIntake(this.#codec.hash(), options);
    const content: Content = { chunks: [], size: 0 };
    const add = (chunk: Uint8Array) => {
      intake.take(chunk);
      content.chunks.push(chunk);
      content.size += chunk.length;
    };
    try {
      this.#resume(options, add);
      // Copied: who sent the bytes may use their buffer again.
      const sink = new WritableStream<Uint8Array>({ write: (chunk) => add(chunk.slice()) });
      await source.pipeTo(sink, { signal: options.signal });
      const digest = await intake.finish();
      this.#blobs.set(digest, content);
      this.#staged.delete(digest);
      return { digest, size: content.size };
    } catch (error) {
      if (!source.locked) await source.cancel(error).catch(() => {});
      if (options.digest !== undefined) this.#keep(options.digest, content, error);
      throw error;
    }
  }

  #resume({ digest, offset = 0 }: PutOptions, add: (chunk: Uint8Array) => void): void {
    const staged = digest === undefined ? undefined : this.#staged.get(digest);
    if (offset > (staged?.size ?? 0)) {
      throw new EngineError("invalid", `Resume ${digest} at ${offset}: only ${staged?.size ?? 0} bytes are staged`);
    }
    if (staged) { for (const chunk of sliceChunks(staged, 0, offset)) add(chunk); }
  }

  #keep(digest: string, content: Content, error: unknown): void {
    if (isRefusal(error)) this.#staged.delete(digest);
    else if (content.size > 0) this.#staged.set(digest, content);
  }
}

/** Whether an error of a `put` says that the bytes are wrong, and not that they broke off. */
function isRefusal(error: unknown): boolean {
  return error instanceof EngineError && (error.code === "corrupt" || error.code === "limit");
}

function* sliceChunks({ chunks }: Content, start: number, end: number): Generator<Uint8Array> {
  let at = 0;
  for (const chunk of chunks) {
    const from = Math.max(0, start - at);
    const to = Math.min(chunk.length, end - at);
    if (from < to) yield chunk.slice(from, to);
    at += chunk.length;
    if (at >= end) return;
  }
}
