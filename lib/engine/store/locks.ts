/**
 * One lock per object, first come first served. Not re-entrant: whoever holds a key must not ask for it again. Take several
 * with {@linkcode Locks.withAll}, which orders them, or in the order pod, container, image, network, volume.
 */
export class Locks {
  readonly #tails = new Map<string, Promise<void>>();

  /** Runs `fn` while nobody else holds `key`. Gives up waiting (not running) when the signal aborts. */
  async with<T>(key: string, fn: () => T | Promise<T>, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted();
    const before = this.#tails.get(key);
    const turn = Promise.withResolvers<void>();
    // A waiter that gave up still passes the turn on, but not before it would have had it.
    const tail = before ? Promise.all([before, turn.promise]).then(() => {}) : turn.promise;
    this.#tails.set(key, tail);
    try {
      if (before) await abortable(before, signal);
      return await fn();
    } finally {
      turn.resolve();
      if (this.#tails.get(key) === tail) void tail.then(() => this.#forget(key, tail));
    }
  }

  /** Runs `fn` while nobody else holds any of `keys`. */
  withAll<T>(keys: Iterable<string>, fn: () => T | Promise<T>, signal?: AbortSignal): Promise<T> {
    const [first, ...rest] = [...new Set(keys)].sort();
    if (first === undefined) return Promise.resolve().then(fn);
    return this.with(first, () => rest.length === 0 ? fn() : this.withAll(rest, fn, signal), signal);
  }

  /** True while somebody holds or waits for `key`. */
  isHeld(key: string): boolean {
    return this.#tails.has(key);
  }

  #forget(key: string, tail: Promise<void>): void {
    if (this.#tails.get(key) === tail) this.#tails.delete(key);
  }
}

async function abortable(promise: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  if (!signal) return await promise;
  const aborted = Promise.withResolvers<never>();
  const onAbort = () => aborted.reject(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    await Promise.race([promise, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
