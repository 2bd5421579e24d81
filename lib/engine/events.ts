import { EngineError } from "./errors.ts";
import { decode, encode } from "./json.ts";
import type { Clock, Store, StreamEntry } from "./ports.ts";

/** What kind of object an event is about. */
export type EventType = "container" | "image" | "network" | "volume" | "pod" | "secret" | "artifact" | "system";

/** Something that happened. */
export interface EngineEvent {
  /** Milliseconds since the epoch, with fractions. */
  time: number;
  type: EventType;
  /** Podman's name for it: `create`, `start`, `died`, `pull`, … */
  action: string;
  /** The object's ID. */
  id: string;
  name?: string;
  /** The image of a container. */
  image?: string;
  attributes: Record<string, string>;
  exitCode?: number;
  /** Of a container that was checked: its health. */
  health?: string;
}

/** An event to emit; the log gives it a time where it has none. */
export type NewEvent = Omit<EngineEvent, "time" | "attributes"> & Partial<Pick<EngineEvent, "time" | "attributes">>;

/** Which events {@linkcode EventLog.list} gives. */
export interface EventQuery {
  /** Milliseconds since the epoch, inclusive. */
  since?: number;
  /** Milliseconds since the epoch, inclusive; a stream that follows ends there. */
  until?: number;
  /** Go on with what happens from now on. Without `since` and `until` it then begins now. */
  follow: boolean;
  filter?: (event: EngineEvent) => boolean;
  /** Ends the sequence, without an error. */
  signal?: AbortSignal;
}

const STREAM = "events";

/**
 * What happened, in order: a ring of the newest events in memory, kept in the store as well. A reader is a place in the
 * ring, not a queue: history and what comes live are one sequence, without a gap and without anything twice, and a slow
 * reader costs nothing. One that falls behind by the whole ring gets `EngineError("limit")`.
 */
export class EventLog {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #limit: number;
  readonly #onError: (error: unknown) => void;
  #ring: EngineEvent[];
  /** How many events were dropped from the ring's front. */
  #dropped = 0;
  #lastTime = 0;
  #pending: Omit<StreamEntry, "seq">[] = [];
  #writing?: Promise<void>;
  #closed = false;
  readonly #wakers = new Set<() => void>();

  private constructor(options: EventLogOptions, history: EngineEvent[]) {
    this.#store = options.store;
    this.#clock = options.clock;
    this.#limit = options.limit;
    this.#onError = options.onError ?? (() => {});
    this.#ring = history;
    this.#lastTime = history.at(-1)?.time ?? 0;
  }

  /** Reads the history the store has. */
  static async open(options: EventLogOptions): Promise<EventLog> {
    const history: EngineEvent[] = [];
    for await (const entry of options.store.read(STREAM)) history.push(decode<EngineEvent>(entry.value));
    return new EventLog(options, history.slice(-options.limit));
  }

  /** Adds an event: readers have it at once, the store soon after. */
  emit(event: NewEvent): EngineEvent {
    // Times rise strictly, so that "since" the last one seen never hides a later one.
    const time = event.time ?? Math.max(this.#clock.now(), this.#lastTime + 0.001);
    const full: EngineEvent = { ...event, time, attributes: event.attributes ?? {} };
    this.#lastTime = Math.max(this.#lastTime, time);
    this.#ring.push(full);
    this.#trim();
    this.#pending.push({ time, value: encode(full) });
    this.#writing ??= this.#write();
    this.#wake();
    return full;
  }

  /** The events that fit, oldest first. Ending the iteration, or the signal, frees the reader. */
  list(query: EventQuery): AsyncIterable<EngineEvent> {
    return { [Symbol.asyncIterator]: () => new Reader(this, query, this.#clock) };
  }

  /** Resolves when the store has every event emitted so far. */
  async flush(): Promise<void> {
    while (this.#writing) await this.#writing;
  }

  /** Ends every reader and waits for the store. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#wake();
    await this.flush();
  }

  /** @internal The place after the newest event. */
  get end(): number {
    return this.#dropped + this.#ring.length;
  }

  /** @internal The oldest place kept. */
  get start(): number {
    return this.#dropped;
  }

  /** @internal */
  get closed(): boolean {
    return this.#closed;
  }

  /** @internal The event at a place; the place must be kept. */
  at(place: number): EngineEvent {
    return this.#ring[place - this.#dropped];
  }

  /** @internal Calls back once at the next event or at the end. Returns a function that takes it back. */
  onNext(waker: () => void): () => void {
    this.#wakers.add(waker);
    return () => this.#wakers.delete(waker);
  }

  #trim(): void {
    // In steps, so that dropping the front does not move the whole ring each time.
    const slack = Math.max(16, this.#limit >> 3);
    if (this.#ring.length < this.#limit + slack) return;
    const excess = this.#ring.length - this.#limit;
    this.#ring = this.#ring.slice(excess);
    this.#dropped += excess;
  }

  #wake(): void {
    const wakers = [...this.#wakers];
    this.#wakers.clear();
    for (const waker of wakers) waker();
  }

  async #write(): Promise<void> {
    while (this.#pending.length > 0) {
      const entries = this.#pending;
      this.#pending = [];
      try {
        await this.#store.append(STREAM, entries, { records: this.#limit });
      } catch (error) {
        // An event that cannot be kept has still happened; what it tells of must not fail for it.
        this.#onError(error);
      }
    }
    this.#writing = undefined;
  }
}

/** What {@linkcode EventLog.open} needs. */
export interface EventLogOptions {
  store: Store;
  clock: Clock;
  /** How many of the newest events are kept. */
  limit: number;
  /** Told when events cannot be written. */
  onError?: (error: unknown) => void;
}

/** Written by hand: an async generator cannot be ended while it waits. */
class Reader implements AsyncIterator<EngineEvent, undefined> {
  readonly #log: EventLog;
  readonly #query: EventQuery;
  readonly #stop = new AbortController();
  #place: number;
  /** Where a reader that does not follow ends. */
  readonly #last: number;
  #deadline = false;
  #wake?: () => void;

  constructor(log: EventLog, query: EventQuery, clock: Clock) {
    this.#log = log;
    this.#query = query;
    const live = query.follow && query.since === undefined && query.until === undefined;
    this.#place = live ? log.end : log.start;
    this.#last = log.end;
    if (query.signal?.aborted) this.#stop.abort();
    query.signal?.addEventListener("abort", () => this.#stop.abort(), { once: true, signal: this.#stop.signal });
    this.#stop.signal.addEventListener("abort", () => this.#wake?.(), { once: true });
    if (query.follow && query.until !== undefined) this.#endAt(query.until, clock);
  }

  async next(): Promise<IteratorResult<EngineEvent, undefined>> {
    while (!this.#stop.signal.aborted) {
      if (this.#place < this.#log.start) {
        this.#stop.abort();
        throw new EngineError("limit", "Read events: the reader fell too far behind");
      }
      const end = this.#query.follow ? this.#log.end : this.#last;
      while (this.#place < end) {
        const event = this.#log.at(this.#place++);
        if (this.#fits(event)) return { done: false, value: event };
      }
      if (!this.#query.follow || this.#deadline || this.#log.closed) break;
      await this.#wait();
    }
    this.#stop.abort();
    return { done: true, value: undefined };
  }

  return(): Promise<IteratorResult<EngineEvent, undefined>> {
    this.#stop.abort();
    return Promise.resolve({ done: true, value: undefined });
  }

  #fits(event: EngineEvent): boolean {
    const { since, until, filter } = this.#query;
    if (since !== undefined && event.time < since) return false;
    if (until !== undefined && event.time > until) return false;
    return filter?.(event) ?? true;
  }

  #endAt(until: number, clock: Clock): void {
    const rest = until - clock.now();
    if (rest <= 0) {
      this.#deadline = true;
      return;
    }
    clock.sleep(rest, this.#stop.signal).then(() => {
      this.#deadline = true;
      this.#wake?.();
    }, () => {});
  }

  #wait(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const forget = this.#log.onNext(resolve);
    this.#wake = resolve;
    return promise.finally(forget);
  }
}
