/** Milliseconds for which a new loop goes on without a look at others: most are over by then. */
const FRESH = 16;
/** Milliseconds that all loops together may go on, once one is older, before other work gets its turn. */
const SLICE = 2;
/** Rounds after which a loop asks for a turn, and then for its end, where the clock stands still while code runs, as it does in workerd. */
const ROUNDS = 2048;
/** Rounds from one look at the clock to the next, less one: a look costs as much as a small value. */
const LOOKS = 7;

/** Milliseconds after which a turn counts as lost: a test's clock took the timer, or a runtime that ends timers with their request. */
const LOST = 1000;

/** The time that loops share, from the moment at which a turn of the event loop is asked for. */
interface Slice {
  /** Resolves with the turn that was asked for. */
  turn?: Promise<void>;
  end?: number;
  /** The moment since which every loop has to wait for the turn. */
  spent?: number;
}

const shared: Slice = {};

/**
 * Keeps loops whose values are at hand from starving everything else: promises that are settled already go on in microtasks,
 * between which a runtime takes no connection, reads no byte and runs no timer. All loops of a process wait for the same turn, and
 * go on together after it: many of them keep other work waiting no longer than one.
 */
export class Turns {
  #rounds = 0;
  readonly #fresh = performance.now() + FRESH;
  // A request of workerd must not wait for another one's timer, which ends with that request.
  readonly #slice: Slice = "WebSocketPair" in globalThis ? {} : shared;

  /** Counts a round of the loop. Returns the turn of the event loop to wait for, if the loops have gone on for long enough. */
  due(): Promise<void> | undefined {
    const slice = this.#slice;
    if (slice.spent && performance.now() > slice.spent + LOST) slice.turn = slice.end = slice.spent = undefined;
    if (!slice.spent) {
      if ((++this.#rounds & LOOKS) !== 0) return;
      const now = performance.now();
      if (this.#rounds < ROUNDS && now < (slice.end ?? this.#fresh)) return;
      this.#rounds = 0;
      if (!slice.turn) {
        slice.end = now + SLICE;
        // The timer runs while the slice lasts, so that nobody idles for it afterwards, and costs nobody a wait if the event loop turns by itself.
        // A message of a MessageChannel or setImmediate() comes sooner, but Deno's loop looks at sockets only when it runs timers.
        slice.turn = new Promise((resolve) =>
          setTimeout(() => {
            slice.turn = slice.end = slice.spent = undefined;
            resolve();
          })
        );
        return;
      }
      slice.spent = now;
    }
    return slice.turn;
  }
}
