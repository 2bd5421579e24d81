/**
 * The WebSocket subprotocol with back-pressure: the receiver sends the number of values it has room for, as decimal text,
 * and the sender never sends more than what those numbers add up to.
 */
export const FLOW = "gantry.flow";

/** The text that a receiver sends regularly to show that it is there: credit for no value, which any sender takes. */
export const BEAT = "0";

/** Milliseconds from one beat to the next. A browser may delay those of a page in the background to one in a minute. */
export const BEAT_EVERY = 20_000;

/** Milliseconds without any word after which a sender takes a receiver for gone that has sent a beat before. */
export const BEAT_PATIENCE = 180_000;

/** How many values a receiver grants at first; it grants more when half of them are read. */
export const WINDOW = 64;

/** No honest receiver grants more than this. */
const MOST = 1_000_000;

/** The credit that the receiver has given and the sender has not used. */
export class Credit {
  #left = 0;
  #closed = false;
  #wake: (() => void) | undefined;

  /** Adds what a credit message grants; false when it is none. */
  grant(message: unknown): boolean {
    if (typeof message !== "string" || !/^[0-9]{1,7}$/.test(message)) return false;
    this.#left = Math.min(this.#left + Number(message), MOST);
    this.#wake?.();
    return true;
  }

  /** Waits until a value may be sent and takes that credit; false once closed. */
  async take(): Promise<boolean> {
    while (this.#left === 0 && !this.#closed) {
      await new Promise<void>((resolve) => this.#wake = resolve);
    }
    if (this.#closed) return false;
    this.#left--;
    return true;
  }

  /** Ends every wait. */
  close(): void {
    this.#closed = true;
    this.#wake?.();
  }
}

/** The longest wait of a timer (HTML Standard, section 8.6). */
const LONGEST_WAIT = 2_147_483_647;

/** Watches a peer that has told that it is there: one that then says nothing for long is taken for gone. */
export class SilenceWatch {
  readonly #patience: number;
  readonly #gone: () => void;
  #heard = performance.now();
  #timer: ReturnType<typeof setInterval> | undefined;
  #ended = false;

  /** @param patience Milliseconds of silence; 180,000 by default */
  constructor(patience: number = BEAT_PATIENCE, gone: () => void) {
    this.#patience = patience;
    this.#gone = gone;
  }

  /** Notes a message. `isBeat` says that it is one that comes regularly. */
  hear(isBeat: boolean): void {
    this.#heard = performance.now();
    if (!isBeat || this.#ended) return;
    const look = () => performance.now() - this.#heard > this.#patience && this.#gone();
    this.#timer ??= setInterval(look, Math.min(this.#patience / 4, LONGEST_WAIT));
  }

  end(): void {
    this.#ended = true;
    clearInterval(this.#timer);
  }
}
