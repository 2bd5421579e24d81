import type { TextParts } from "./parts/encode_parts.ts";
import { Turns } from "../codecs/turns.ts";

/** Microtasks for which a response waits for its first value, before it waits for a turn: a schema or a generator takes a few. */
const FIRST = 8;

/** Reads a source for a sender: one value ahead, so that values at hand travel together, and let go exactly once. */
export class ChannelSource<Text extends string | TextParts = string> {
  readonly #iterator: AsyncIterator<unknown>;
  readonly #encode: (value: unknown) => Text | Promise<Text>;
  #ahead: Ahead;
  readonly #turns = new Turns();
  #released = false;
  /** The failure to encode a value that was to go out behind others. */
  #failed: Promise<never> | undefined;

  /** Starts reading `source`; `encode` makes the text of a value. */
  constructor(source: AsyncIterable<unknown>, encode: (value: unknown) => Text | Promise<Text>) {
    this.#iterator = source[Symbol.asyncIterator]();
    this.#encode = encode;
    this.#ahead = this.#start();
  }

  /**
   * Waits for one turn of the event loop, so that a source that fails at once fails before the response has a status.
   *
   * @throws What the source threw
   */
  async settle(): Promise<void> {
    // A timer costs more than all the rest of a short channel.
    for (let i = 0; i < FIRST && this.waits; i++) await undefined;
    if (this.waits) {
      await Promise.race([this.#ahead.result.catch(() => {}), new Promise((resolve) => setTimeout(resolve))]);
    }
    if (this.#ahead.state === "failed") await this.#ahead.result;
  }

  /** Whether the source is known to have no more values. */
  get ended(): boolean {
    return this.#ahead.state === "done";
  }

  /** Whether the next value is not there yet. */
  get waits(): boolean {
    return this.#ahead.state === "pending";
  }

  /** The next value's text, or undefined at the end. Others get a turn when many values have been at hand. */
  async next(): Promise<Text | undefined> {
    if (this.#failed) await this.#failed;
    const turn = this.#turns.due();
    if (turn) await turn;
    const result = await this.#ahead.result;
    if (result.done) {
      this.#released = true;
      return undefined;
    }
    const encoded = this.#encode(result.value);
    const text = encoded instanceof Promise ? await encoded : encoded;
    this.#ahead = this.#start();
    return text;
  }

  /** Has the next reading fail. */
  failNext(error: unknown): void {
    this.#failed = Promise.reject(error);
    this.#failed.catch(() => {});
  }

  /** Whether the next value is there, or comes without a wait. */
  async atHand(): Promise<boolean> {
    // An async generator needs up to three microtasks from one value to the next.
    for (let i = 0; i < 3 && this.waits; i++) await undefined;
    return this.#ahead.state === "value";
  }

  /** Lets go of the source: its `return` runs, once, however often this is called. */
  release(): void {
    if (this.#released) return;
    this.#released = true;
    // A generator that is waiting runs its `finally` only when that wait ends: nobody is kept waiting for it here.
    this.#ahead.result.catch(() => {});
    Promise.resolve(this.#iterator.return?.()).catch(() => {});
  }

  #start(): Ahead {
    const ahead: Ahead = { state: "pending", result: Promise.resolve().then(() => this.#iterator.next()) };
    ahead.result.then(
      (result) => ahead.state = result.done ? "done" : "value",
      () => {
        ahead.state = "failed";
        this.#released = true;
      },
    );
    return ahead;
  }
}

interface Ahead {
  state: "pending" | "value" | "done" | "failed";
  readonly result: Promise<IteratorResult<unknown>>;
}
