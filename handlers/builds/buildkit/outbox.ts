/** Values that one side puts in and the other takes out, in order, until it is closed. */
export class Outbox<T> implements AsyncIterable<T> {
  readonly #waiting: T[] = [];
  #wake = () => {};
  #closed = false;

  push(value: T): void {
    if (this.#closed) return;
    this.#waiting.push(value);
    this.#wake();
  }

  close(): void {
    this.#closed = true;
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T> {
    for (;;) {
      while (this.#waiting.length > 0) yield this.#waiting.shift()!;
      if (this.#closed) return;
      await new Promise<void>((resolve) => this.#wake = resolve);
    }
  }
}
