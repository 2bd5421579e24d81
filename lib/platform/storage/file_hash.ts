import { open } from "node:fs/promises";
import type { Hash } from "../../engine/ports/ports.ts";
import { hostCodec } from "../codec.ts";
import { FollowedFile } from "./digest_thread.ts";
import { fileStream } from "./file_stream.ts";

/** Bytes from which on a file is digested by another thread: for fewer it is not worth its start. */
const LARGE = 32 << 20;
/** Bytes between two messages to it. */
const STEP = 1 << 20;

/**
 * The digest of a file that is being written, from its beginning on. Of a large one another thread takes over, and reads it from its beginning.
 */
export class FileHash implements Hash {
  readonly #path: string;
  readonly #onProgress?: (end: number) => void;
  readonly #hash = hostCodec().hash();
  #followed?: FollowedFile;
  #isAlone = false;
  /** Bytes that the file has, and those of them that this thread has digested. */
  #size = 0;
  #digested = 0;
  #told = 0;

  /** @param onProgress Told up to where another thread has read the file, which is not done again */
  constructor(path: string, onProgress?: (end: number) => void) {
    this.#path = path;
    this.#onProgress = onProgress;
  }

  /** Whether another thread digests it. */
  get isFollowed(): boolean {
    return this.#followed !== undefined;
  }

  update(bytes: Uint8Array): void | Promise<void> {
    this.#size += bytes.length;
    if (this.#followed !== undefined) return;
    this.#digested += bytes.length;
    return this.#hash.update(bytes);
  }

  /** Tells that the file is written up to there, as {@linkcode FileHash.update} was given it, or by another program. */
  reach(end: number): void {
    this.#size = Math.max(this.#size, end);
    if (this.#followed === undefined && (end < LARGE || this.#isAlone)) return;
    try {
      this.#followed ??= new FollowedFile(this.#path, this.#onProgress);
    } catch {
      // No thread can be started: there are too many, or it is not allowed. This one goes on.
      this.#isAlone = true;
      return;
    }
    if (end - this.#told < STEP) return;
    this.#told = end;
    this.#followed.reach(end);
  }

  /** The digest of all, which must be written. */
  async digest(): Promise<string> {
    if (this.#followed === undefined) {
      return this.#digested === this.#size ? await this.#hash.digest() : await this.#digestHere();
    }
    // A thread that has ended, or could not read, costs time and nothing else.
    return await this.#followed.digest(this.#size).catch(() => this.#digestHere());
  }

  async #digestHere(): Promise<string> {
    const hash = hostCodec().hash();
    const file = await open(this.#path);
    for await (const bytes of fileStream(file, 0, this.#size)) await hash.update(bytes);
    return await hash.digest();
  }

  close(): void {
    this.#followed?.close();
  }
}
