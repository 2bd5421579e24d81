/** Milliseconds that a loop may go on before other work gets its turn. */
const SLICE = 16;
/** Rounds after which it does so where the clock stands still while code runs, as it does in workerd. */
const ROUNDS = 4096;
/** Rounds from one look at the clock to the next, less one: a look costs as much as a small value. */
const LOOKS = 7;

/**
 * Keeps a loop whose values are at hand from starving everything else: promises that are settled already go on in microtasks,
 * between which a runtime takes no connection, reads no byte and runs no timer.
 */
export class Turns {
  #since = performance.now();
  #rounds = 0;

  /** Counts a round of the loop. Returns whether the loop has gone on for long enough. */
  due(): boolean {
    if ((++this.#rounds & LOOKS) !== 0) return false;
    return this.#rounds >= ROUNDS || performance.now() - this.#since >= SLICE;
  }

  /** Waits for one turn of the event loop. */
  async take(): Promise<void> {
    // A message of a MessageChannel comes sooner, but Deno's loop looks at sockets only when it rests for a moment.
    await new Promise((resolve) => setTimeout(resolve));
    this.#rounds = 0;
    this.#since = performance.now();
  }
}
