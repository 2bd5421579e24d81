import { HTTPError } from "../error.ts";

/** How much of what a source has yielded is kept. */
export interface KeptValues<T> {
  readonly count: number;
  readonly bytes: number;
  size(value: T): number;
}

/** A source that several callers read, each at its own place among the last values, which are numbered from 1 on. */
export class SharedSource<T> {
  readonly #iterator: AsyncIterator<T>;
  readonly #stop = new AbortController();
  readonly #kept: KeptValues<T>;
  readonly #idle: () => void;
  /** The name that tells the numbers of this source from those of another. */
  readonly #name: string = crypto.randomUUID().slice(0, 8);
  readonly #values: { readonly value: T; readonly size: number }[] = [];
  #bytes = 0;
  /** How many values were dropped. */
  #dropped = 0;
  /** The place that the last caller to leave has come to. */
  #left = 0;
  #callers = 0;
  #reading = false;
  #end: { readonly error?: unknown } | undefined;
  #waiting: (() => void)[] = [];

  /** `open` gets a signal that ends with the source, and `idle` is called whenever the last caller has left. */
  constructor(open: (signal: AbortSignal) => AsyncIterable<T>, kept: KeptValues<T>, idle: () => void) {
    this.#iterator = open(this.#stop.signal)[Symbol.asyncIterator]();
    this.#kept = kept;
    this.#idle = idle;
  }

  /** Whether nobody reads it now. */
  get isIdle(): boolean {
    return this.#callers === 0;
  }

  /** Whether there will be no further value. */
  get ended(): boolean {
    return this.#end !== undefined;
  }

  /** The place of a caller that has seen none of the last values but `recent`. */
  newest(recent: number): number {
    return Math.max(this.#dropped, this.#head - recent);
  }

  /**
   * The place behind the value with an ID.
   *
   * @throws {HTTPError} 410 when what follows is kept no more, or the ID is of another source
   */
  placeOf(id: string): number {
    const [name, digits = ""] = id.split(".");
    const place = name === this.#name && /^[0-9]{1,15}$/.test(digits) ? Number(digits) : -1;
    if (place < this.#dropped || place > this.#head) throw passedOn(id);
    return place;
  }

  /** The values behind a place, with their IDs. */
  read(place: number): AsyncIterator<readonly [id: string, value: T], void> {
    let isOver = false;
    let wake: (() => void) | undefined;
    this.#callers++;
    const leave = () => {
      if (isOver) return;
      isOver = true;
      wake?.();
      this.#left = place;
      if (--this.#callers > 0) return;
      this.#readOn();
      this.#idle();
    };
    const next = async (): Promise<IteratorResult<readonly [id: string, value: T], void>> => {
      while (!isOver) {
        if (place < this.#dropped) throw passedOn(`${this.#name}.${place}`);
        if (place < this.#head) {
          const { value } = this.#values[place++ - this.#dropped];
          return { done: false, value: [`${this.#name}.${place}`, value] };
        }
        if (this.#end) {
          leave();
          if ("error" in this.#end) throw this.#end.error;
          break;
        }
        const changed = new Promise<void>((resolve) => this.#waiting.push(wake = resolve));
        this.#pull();
        await changed;
      }
      return { done: true, value: undefined };
    };
    return {
      next: () =>
        next().catch((error) => {
          leave();
          throw error;
        }),
      return() {
        leave();
        return Promise.resolve({ done: true, value: undefined });
      },
    };
  }

  /** Lets go of the source. */
  close(): void {
    if (this.#end) return;
    this.#end = {};
    this.#wake();
    // A generator that waits learns of its end by the signal alone: it returns at its next value.
    this.#stop.abort();
    Promise.resolve(this.#iterator.return?.()).catch(() => {});
  }

  /** The number of the last value. */
  get #head(): number {
    return this.#dropped + this.#values.length;
  }

  #pull(): void {
    if (this.#reading || this.#end) return;
    this.#reading = true;
    this.#iterator.next().then(
      ({ done, value }) => done ? this.#end ??= {} : this.#keep(value),
      (error) => this.#end ??= { error },
    ).finally(() => {
      this.#reading = false;
      this.#wake();
      if (this.#callers === 0) this.#readOn();
    });
  }

  /** Reads on for a caller that may come back, but not so far that it would miss a value. */
  #readOn(): void {
    const { count, bytes } = this.#kept;
    const isFull = this.#values.length >= count || this.#bytes >= bytes;
    if (!isFull || this.#dropped < this.#left) this.#pull();
  }

  #keep(value: T): void {
    if (this.#end) return;
    const { count, bytes, size: sizeOf } = this.#kept;
    const size = sizeOf(value);
    this.#values.push({ value, size });
    this.#bytes += size;
    // The newest is kept however large it is: there is somebody to read it.
    while (this.#values.length > 1 && (this.#values.length > count || this.#bytes > bytes)) {
      this.#bytes -= this.#values.shift()!.size;
      this.#dropped++;
    }
  }

  #wake(): void {
    for (const wake of this.#waiting.splice(0)) wake();
  }
}

/** The error of a caller whose next value is kept no more. */
export function passedOn(id: string): HTTPError {
  return new HTTPError(410, `Resume after "${id}": the values behind it are kept no more`);
}
