/** How many times in its patience a watch looks. */
const LOOKS = 4;
/** The longest wait of a timer; one that is to wait longer does not wait at all. */
export const LONGEST = 2_147_483_647;

/** Gives up what waits too long. One clock for all that wait: a timer of its own for each piece of each body would cost more than to read it. */
export class IdleWatch implements Disposable {
  /** The callbacks that wait, each with the look since which it does. */
  readonly #waiting = new Map<() => void, number>();
  readonly #patience: number;
  #look = 0;
  #timer: ReturnType<typeof setInterval> | undefined;

  /** Waits for `patience` milliseconds, and up to a quarter more. */
  constructor(patience: number) {
    this.#patience = patience;
  }

  /** Begins to wait: `giveUp` is called unless {@linkcode done} is called with it in time. */
  wait(giveUp: () => void): void {
    this.#waiting.set(giveUp, this.#look);
    this.#timer ??= setInterval(() => this.#check(), Math.min(this.#patience / LOOKS, LONGEST));
  }

  /** Ends a wait: its event has come. */
  done(giveUp: () => void): void {
    this.#waiting.delete(giveUp);
  }

  /** Waits for nothing any more. */
  [Symbol.dispose](): void {
    this.#waiting.clear();
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #check(): void {
    this.#look++;
    for (const [giveUp, since] of this.#waiting) {
      if (this.#look - since <= LOOKS) continue;
      this.#waiting.delete(giveUp);
      giveUp();
    }
    if (this.#waiting.size === 0) this[Symbol.dispose]();
  }
}
