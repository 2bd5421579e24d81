/** Tells who waits for an exec session that it has ended. */
export class ExitListeners {
  readonly #listeners = new Map<string, Set<() => void>>();

  /** Listens until the returned function is called. */
  on(id: string, listener: () => void): () => void {
    const listeners = this.#listeners.get(id) ?? new Set();
    this.#listeners.set(id, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0) this.#listeners.delete(id);
    };
  }

  publish(id: string): void {
    for (const listener of [...this.#listeners.get(id) ?? []]) listener();
  }
}
