import { cText, library, READ_ONLY } from "../calls/libc.ts";

/** Bytes of a file that are handed over at once. */
const PIECE = 8 << 20;
/** `SYNC_FILE_RANGE_WRITE` of sync_file_range(2), and with it `…_WAIT_BEFORE` and `…_WAIT_AFTER`. */
const BEGIN = 2;
const FINISH = 7;
/** `POSIX_FADV_DONTNEED` of posix_fadvise(3). */
const NOT_NEEDED = 4;

type Calls = NonNullable<ReturnType<typeof library>>;

/**
 * The pages of a large file that is being written, and that nobody reads soon: they are brought to the disk while more is written, and
 * the kernel takes the same memory for what comes next. A virtual machine whose host gives it memory only when it is touched writes
 * to memory that it has several times as fast as to other.
 */
export class WrittenPages {
  readonly #calls: Calls;
  readonly #file: number;
  /** Up to where nobody reads the file any more, and where it goes to the disk, in whole pieces. */
  #readable = 0;
  #begun = 0;
  #released = 0;
  #running: Promise<void> | undefined;
  #isClosed = false;

  private constructor(calls: Calls, file: number) {
    this.#calls = calls;
    this.#file = file;
  }

  /** Opens a file; `undefined` where libc cannot be called, and the file is like any other. */
  static open(path: string): WrittenPages | undefined {
    try {
      const calls = library();
      const file = calls?.open(cText(path), READ_ONLY, 0) ?? -1;
      return calls === null || file < 0 ? undefined : new WrittenPages(calls, file);
    } catch {
      // It may not be called, or there is none of that name.
      return undefined;
    }
  }

  /** Tells that nobody reads the file up to there again soon. */
  release(end: number): void {
    this.#readable = Math.max(this.#readable, end - end % PIECE);
    if (this.#isClosed || this.#readable === this.#released) return;
    this.#running ??= this.#run().finally(() => this.#running = undefined);
  }

  /** Stops, and lets the file go. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#running;
    this.#calls.close(this.#file);
  }

  async #run(): Promise<void> {
    while (!this.#isClosed && this.#released < this.#readable) {
      const [begun, end] = [this.#begun, this.#readable];
      this.#begun = end;
      // All that there is, so that the disk has more to do while the first of it is waited for.
      if (begun < end && await this.#sync(begun, end - begun, BEGIN) !== 0) break;
      if (await this.#sync(this.#released, PIECE, FINISH) !== 0) break;
      await this.#calls.posix_fadvise(this.#file, BigInt(this.#released), BigInt(PIECE), NOT_NEEDED);
      this.#released += PIECE;
    }
  }

  #sync(from: number, size: number, flags: number): Promise<number> {
    return this.#calls.sync_file_range(this.#file, BigInt(from), BigInt(size), flags);
  }
}
