/** Something told: of kind `layer`, a newer state of the same takes the place of one not read yet. */
interface Told {
  kind: string;
  digest?: string;
  state?: string;
}

/**
 * Turns work that tells how it goes into an iteration of what it told. The work starts with the first `next` and is aborted
 * when the iteration ends early. A reader that is slow gets the newest place of each layer, not every one.
 */
export class ProgressFeed<T extends Told> implements AsyncIterableIterator<T, undefined> {
  readonly #work: (tell: (progress: T) => void, signal: AbortSignal) => Promise<void>;
  readonly #abort = new AbortController();
  readonly #queue: T[] = [];
  #running?: Promise<void>;
  #outcome?: { error?: unknown };
  #wake = () => {};

  constructor(
    work: (tell: (progress: T) => void, signal: AbortSignal) => Promise<void>,
    signal?: AbortSignal,
  ) {
    this.#work = work;
    if (signal?.aborted) this.#abort.abort(signal.reason);
    // The inner signal ends with the work, and takes the listener off a signal that lives longer.
    signal?.addEventListener("abort", () => this.#abort.abort(signal.reason), { signal: this.#abort.signal });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<T, undefined>> {
    if (this.#outcome === undefined) this.#running ??= this.#run();
    while (this.#queue.length === 0 && this.#outcome === undefined) {
      await new Promise<void>((resolve) => this.#wake = resolve);
    }
    const value = this.#queue.shift();
    if (value !== undefined) return { done: false, value };
    const outcome = this.#outcome;
    // An error is thrown once; after that the iteration is over.
    this.#outcome = {};
    if (outcome && "error" in outcome) throw outcome.error;
    return { done: true, value: undefined };
  }

  /** Aborts the work and waits until it has cleaned up. */
  async return(): Promise<IteratorResult<T, undefined>> {
    this.#abort.abort(new DOMException("The reader went away", "AbortError"));
    await this.#running;
    this.#outcome = {};
    this.#queue.length = 0;
    return { done: true, value: undefined };
  }

  async #run(): Promise<void> {
    try {
      await this.#work((progress) => this.#tell(progress), this.#abort.signal);
      this.#outcome = {};
    } catch (error) {
      this.#outcome = { error };
    }
    this.#abort.abort();
    this.#wake();
  }

  #tell(progress: T): void {
    const at = progress.kind === "layer" ? this.#queue.findIndex((other) => isEarlier(other, progress)) : -1;
    if (at >= 0) this.#queue[at] = progress;
    else this.#queue.push(progress);
    this.#wake();
  }
}

function isEarlier(other: Told, { digest, state }: Told): boolean {
  return other.kind === "layer" && other.digest === digest && other.state === state;
}
