/** A turn that stands still for this long keeps nobody waiting. */
const PATIENCE = 30_000;

/** One work's place among those that take turns. */
export interface Turn {
  /** Resolves when it is this work's turn, which it stays until it leaves; also when it left before that. */
  take(): Promise<void>;
  /** Says that the work goes on. */
  touch(): void;
  leave(): void;
}

interface Waiting {
  turn: object;
  wake(): void;
}

/**
 * Lets one work at a time do what takes much memory. One whose holder stands still, since what it makes is not taken or since it waits for
 * another work itself, is passed over after a while: nobody waits for ever.
 */
export class Turns {
  #holder: object | undefined;
  #touched = 0;
  #waiting: Waiting[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #patience: number;

  constructor(patience = PATIENCE) {
    this.#patience = patience;
  }

  /** A place for one work. */
  enter(): Turn {
    const turn = {};
    return {
      take: () => this.#take(turn),
      touch: () => {
        if (this.#holder === turn) this.#touched = performance.now();
      },
      leave: () => {
        for (const { wake } of this.#waiting.filter((other) => other.turn === turn)) wake();
        this.#waiting = this.#waiting.filter((other) => other.turn !== turn);
        if (this.#holder === turn) this.#next();
      },
    };
  }

  #take(turn: object): Promise<void> {
    if (this.#holder === turn) return Promise.resolve();
    return new Promise((resolve) => {
      this.#waiting.push({ turn, wake: resolve });
      if (this.#holder === undefined) this.#next();
      else this.#watch();
    });
  }

  #next(): void {
    const first = this.#waiting.shift();
    this.#holder = first?.turn;
    this.#touched = performance.now();
    first?.wake();
    this.#watch();
  }

  /** Looks after the holder as long as somebody waits. */
  #watch(): void {
    clearTimeout(this.#timer);
    if (this.#waiting.length === 0) return;
    const left = this.#touched + this.#patience - performance.now();
    this.#timer = setTimeout(() => {
      if (performance.now() - this.#touched >= this.#patience) this.#next();
      else this.#watch();
    }, Math.max(left, 1));
  }
}
