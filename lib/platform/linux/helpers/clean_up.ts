/** The steps of a clean-up. Each is taken, whatever became of those before it: what one cannot delete keeps nothing else. */
export class CleanUp {
  readonly #failures: Error[] = [];

  /** Takes a step, and remembers how it failed. */
  async step(work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#failures.push(error instanceof Error ? error : new Error(String(error)));
    }
  }

  /** Throws what has failed: one failure as it is, several as one that tells of each. */
  done(what: string): void {
    const [first, ...more] = this.#failures;
    if (first === undefined) return;
    if (more.length === 0) throw first;
    throw new AggregateError(this.#failures, `${what}: ${this.#failures.map(({ message }) => message).join("; ")}`);
  }
}
