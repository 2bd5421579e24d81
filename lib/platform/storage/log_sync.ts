/** A commit that begins so many milliseconds behind another one had to wait for it: its caller is not the only one. */
const NEIGHBOUR = 0.2;
/** Milliseconds of a sync for which another thread is not worth its two wakes. */
const QUICK = 1;
/** Quick syncs of lone commits in a row, after which the next ones are made on this thread. */
const CALM = 16;
/** Of those, each one that is made aside all the same: only while this thread is free can others commit, too. */
const PROBE = 8;

/** The two ways in which the bytes of a file are brought to the disk. */
export interface SyncedFile {
  /** On another thread. */
  syncAside(): Promise<void>;
  /** On this thread, which does nothing else meanwhile. */
  syncHere(): void;
}

/** The surroundings of a {@linkcode LogSync}. */
export interface Surroundings {
  /** Whether the caller of a commit is the only one for whom this thread works; nobody knows by default, and it stays free. */
  isAlone?(): boolean;
  /** Milliseconds, of any beginning. */
  now?(): number;
}

/**
 * Makes commits last. To wake another thread for a sync, and this one when it is over, takes longer than a quick disk takes for the sync: for
 * the one caller that there is it is made on this thread, once it was quick for a while. Where others are served or commit at the same time, or
 * the disk is slow, this thread stays free.
 *
 * After a failure the kernel forgets what it could not write: nothing lasts then, and each further sync throws.
 */
export class LogSync {
  readonly #file: SyncedFile;
  readonly #isAlone: () => boolean;
  readonly #now: () => number;
  /** Why the file no longer lasts. */
  #broken?: unknown;
  /** Quick syncs of lone commits in a row, this far. */
  #calm = 0;
  /** Commits under way. */
  #running = 0;
  /** When the last commit was over. */
  #end = -Infinity;

  constructor(file: SyncedFile, { isAlone = () => false, now = () => performance.now() }: Surroundings = {}) {
    this.#file = file;
    this.#isAlone = isAlone;
    this.#now = now;
  }

  /**
   * Runs a commit: resolves when what `write` wrote lasts, and `finish` has run. What `write` throws is thrown, and nothing is synced.
   *
   * @param finish Work on this thread that belongs to the commit, of which the next one is to know
   */
  async around(write: () => Promise<void>, finish: () => void): Promise<void> {
    const isLone = this.#running === 0 && this.#now() - this.#end >= NEIGHBOUR && this.#isAlone();
    if (!isLone) this.#calm = 0;
    this.#running++;
    try {
      await write();
      await this.#sync(isLone);
      finish();
    } finally {
      this.#running--;
      this.#end = this.#now();
    }
  }

  async #sync(isLone: boolean): Promise<void> {
    if (this.#broken === undefined) {
      const begin = this.#now();
      try {
        if (this.#calm >= CALM && this.#calm % PROBE !== 0) this.#file.syncHere();
        else await this.#file.syncAside();
        this.#calm = isLone && this.#now() - begin < QUICK ? this.#calm + 1 : 0;
        return;
      } catch (error) {
        this.#broken = error;
      }
    }
    throw new Error("Commit: the log cannot be written to the disk", { cause: this.#broken });
  }
}
