import { EngineError } from "../../engine/errors.ts";
import type { Hash, PutOptions } from "../../engine/ports/ports.ts";
import { checkContent, checkSize } from "../../engine/text/wrong_content.ts";

/** The hex part of a digest. Throws `EngineError("invalid")` for anything but `sha256:` and 64 hex digits. */
export function hexOf(digest: string): string {
  const hex = /^sha256:([0-9a-f]{64})$/.exec(digest)?.[1];
  if (hex === undefined) throw new EngineError("invalid", `Name a blob "${digest.slice(0, 200)}": not a sha256 digest`);
  return hex;
}

/** Counts and digests the bytes of one `put`, and refuses them as soon as they cannot be right. */
export class BlobIntake {
  readonly #hash: Hash;
  readonly #options: PutOptions;
  #size = 0;

  constructor(hash: Hash, options: PutOptions) {
    this.#hash = hash;
    this.#options = options;
  }

  get size(): number {
    return this.#size;
  }

  /** Counts bytes and digests them; they must not change any more. */
  take(bytes: Uint8Array): void {
    this.count(bytes.length);
    void this.#hash.update(bytes);
  }

  /** Counts bytes that are digested later. */
  count(bytes: number): void {
    this.#size += bytes;
    const { limit, size, digest } = this.#options;
    if (size !== undefined && this.#size > size) {
      throw new EngineError("corrupt", `Store ${digest ?? "blob"}: more than the ${size} bytes expected`);
    }
    if (limit !== undefined && this.#size > limit) {
      throw new EngineError("limit", `Store ${digest ?? "blob"}: more than the ${limit} bytes allowed`);
    }
  }

  /** Digests bytes that were counted; they must not change before it resolves. */
  async digest(bytes: Uint8Array): Promise<void> {
    await this.#hash.update(bytes);
  }

  /** The digest of it all, admitted; throws `EngineError("corrupt")` when digest or size are not what they must be. */
  async finish(): Promise<string> {
    const { size, digest, admit } = this.#options;
    // Before the digest, which takes a while.
    checkSize({ digest, size }, this.#size);
    const found = await this.#hash.digest();
    checkContent({ digest, size }, { digest: found, size: this.#size });
    await admit?.(found);
    return found;
  }
}
