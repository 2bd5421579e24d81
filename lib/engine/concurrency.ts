/**
 * Works on many things at once, within a bound.
 *
 * @module
 */

/** Lets a number of works run at once; further ones wait in order. */
export class Slots {
  readonly #waiting: (() => void)[] = [];
  readonly #patience: number;
  #free: number;

  /** @param patience Milliseconds after which a work gives its slot to the next one, and goes on without */
  constructor(count: number, patience = Infinity) {
    this.#free = count;
    this.#patience = patience;
  }

  async use<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    let isHeld = true;
    const give = () => {
      if (!isHeld) return;
      isHeld = false;
      const next = this.#waiting.shift();
      if (next === undefined) this.#free++;
      else next();
    };
    const timer = this.#patience === Infinity ? undefined : setTimeout(give, this.#patience);
    try {
      signal?.throwIfAborted();
      return await work();
    } finally {
      clearTimeout(timer);
      give();
    }
  }
}

/**
 * Works on every item, at most `atOnce` at a time, and returns the results in order. After a failure no further item is begun;
 * the failure is thrown when the items that were begun have ended.
 */
export async function inParallel<T, R>(
  items: readonly T[],
  atOnce: number,
  work: (item: T, i: number) => Promise<R>,
): Promise<R[]> {
  const results: R[] = new Array(items.length);
  const failures: unknown[] = [];
  const waiting = items.entries();
  const worker = async () => {
    // All workers take from one iterator.
    for (const [i, item] of waiting) {
      if (failures.length > 0) return;
      try {
        results[i] = await work(item, i);
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, worker));
  if (failures.length > 0) throw failures[0];
  return results;
}
