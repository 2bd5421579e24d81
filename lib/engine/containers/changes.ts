import type { ContainerRecord, ExitStatus } from "../records/container_record.ts";

/** Something that happened to a container. `record` is absent once it is removed. */
export interface ContainerChange {
  record?: ContainerRecord;
  /** Set when its process ended. */
  exit?: ExitStatus;
}

/** Tells who waits for a container what happens to it. Listeners hear every change, in order. */
export class Changes {
  readonly #listeners = new Map<string, Set<(change: ContainerChange) => void>>();

  /** Listens until the returned function is called. */
  on(id: string, listener: (change: ContainerChange) => void): () => void {
    const listeners = this.#listeners.get(id) ?? new Set();
    this.#listeners.set(id, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#listeners.get(id) === listeners) this.#listeners.delete(id);
    };
  }

  publish(id: string, change: ContainerChange): void {
    for (const listener of [...this.#listeners.get(id) ?? []]) listener(change);
  }
}
