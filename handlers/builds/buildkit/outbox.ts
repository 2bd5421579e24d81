/** Values that may wait for their taker while there is room for more. */
const ENOUGH = 4;

/** Values that one side puts in and the other takes out, in order, until it is closed. */
export class Outbox<T> implements AsyncIterable<T> {
  readonly #waiting: T[] = [];
  #wake = () => {};
  #taken = () => {};
  #closed = false;

  push(value: T): void {
    if (this.#closed) return;
    this.#waiting.push(value);
    this.#wake();
  }

  /** Resolves when few values wait to be taken. */
  async room(): Promise<void> {
    while (!this.#closed && this.#waiting.length > ENOUGH) await new Promise<void>((resolve) => this.#taken = resolve);
  }

  close(): void {
    this.#closed = true;
    this.#taken();
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T> {
    for (;;) {
      while (this.#waiting.length > 0) {
        yield this.#waiting.shift()!;
        if (this.#waiting.length <= ENOUGH) this.#taken();
      }
      if (this.#closed) return;
      await new Promise<void>((resolve) => this.#wake = resolve);
    }
  }
}
