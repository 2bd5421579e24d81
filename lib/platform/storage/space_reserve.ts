import { statSync, truncateSync } from "node:fs";
import { open, statfs } from "node:fs/promises";
import { dirname } from "node:path";
import { isFullDisk } from "../../oci/system_error.ts";

/** Bytes of a whole reserve: more than a database's log grows to before it is used again from its beginning. */
const WHOLE = 8 << 20;
/** Bytes that are given up at once: what is free on a full disk is anybody's. */
const PIECE = 256 << 10;
/** A disk with less room than this many reserves is left what it has. */
const PLENTY = 8;
/** Milliseconds between two attempts to fill it, and before the first one. */
const INTERVAL = 2000;

/**
 * A file that takes room for bad times: on a full disk nothing could be removed any more, as a removal is written down before it
 * is done. Pieces of it are given up for that, and it is filled again when there is room.
 */
export class SpaceReserve {
  readonly #path: string;
  #size: number;
  #tried = performance.now();
  #filling?: Promise<void>;

  constructor(path: string) {
    this.#path = path;
    this.#size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  }

  /** Does what a full disk may fail, again for each piece that is given up for it. */
  use<T>(work: () => T): T {
    for (;;) {
      try {
        return work();
      } catch (error) {
        if (!isFullDisk(error) || !this.#giveUp()) throw error;
      }
    }
  }

  /** Has the file filled where that was not tried just now, and there is room. It never fails: there is a next time. */
  refill(): void {
    if (this.#size >= WHOLE || this.#filling !== undefined || performance.now() - this.#tried < INTERVAL) return;
    this.#filling = this.#fill().catch(() => {}).finally(() => {
      this.#filling = undefined;
      this.#tried = performance.now();
    });
  }

  async close(): Promise<void> {
    await this.#filling;
  }

  #giveUp(): boolean {
    if (this.#size === 0) return false;
    this.#size = Math.max(0, this.#size - PIECE);
    try {
      truncateSync(this.#path, this.#size);
      return true;
    } catch {
      // Somebody has removed the file: what failed of the full disk is the error to tell.
      this.#size = 0;
      return false;
    }
  }

  async #fill(): Promise<void> {
    const { bavail, bsize } = await statfs(dirname(this.#path));
    if (bavail * bsize < PLENTY * WHOLE) return;
    const file = await open(this.#path, "a", 0o600);
    try {
      // Bytes that no file system packs into less. They are no secret.
      const piece = crypto.getRandomValues(new Uint8Array(64 << 10));
      while (this.#size < WHOLE) {
        await file.write(piece);
        this.#size += piece.length;
      }
    } finally {
      await file.close();
    }
  }
}
