import { BEAT_PATIENCE } from "../channels/flow.ts";

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
