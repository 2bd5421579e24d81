import { boundEvent } from "./event_attributes.ts";
import { type EventItem, EventReader } from "./event_reader.ts";
import { FoundEvents } from "./found_events.ts";
import { encode } from "./json.ts";
import type { Clock, Retention, Store, StreamEntry, StreamRange } from "../ports/ports.ts";

/** The kind of object an event is about. */
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
  /** The same as it was asked for, where that is another name. */
  askedImage?: string;
  attributes: Record<string, string>;
  exitCode?: number;
  /** Of a container that was checked: its health. */
  health?: string;
  /** The check found the health that the one before had found. */
  repeated?: true;
  /** The API that does not have it: of the same thing it tells by other events, or at another place among them. */
  notFor?: "docker" | "podman";
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
  /** Names, and beginnings of IDs: no event fits whose object has none of them. The history in the store is then not read through. */
  about?: readonly string[];
  /** Ends the sequence, without an error. */
  signal?: AbortSignal;
}

const STREAM = "events";
/** Bytes of events that the store keeps where nothing else is asked for. */
export const DEFAULT_EVENT_BYTES = 16 << 20;
/** Bytes of events in memory where nothing else is asked for. */
export const DEFAULT_EVENT_MEMORY = 2 << 20;
/** By how much more than its share of memory the log may hold while the store has not taken what is new. */
const PATIENCE = 4;
/** Bytes of events that are written at once. */
const BATCH = 1 << 20;
/** The part of what the store keeps by which it may have more for a while. */
const SLACK = 128;
/** Milliseconds between two pieces of history that are dropped behind the start. */
const TRIM_PAUSE = 10;

/**
 * The events so far, in order. The newest events are in memory, as many as its share of bytes allows; the store has more of them,
 * bounded in number and bytes, and is read only for a reader that needs them. A reader is a place, not a queue: history and live
 * events are one sequence, without gaps and duplicates, and a slow reader costs nothing. A reader that falls behind by more than
 * the store keeps gets `EngineError("limit")`.
 */
export class EventLog {
  readonly #store: Store;
  readonly #found: FoundEvents;
  readonly #clock: Clock;
  readonly #limit: number;
  readonly #memory: number;
  readonly #retention: Retention;
  readonly #onError: (error: unknown) => void;
  readonly #onEvent: (event: EngineEvent) => void;
  #ring: EventItem[] = [];
  /** The bytes of what is in the ring. */
  #size = 0;
  /** How many events were dropped from the ring's front. */
  #dropped = 0;
  #lostBefore = 0;
  #inStoreOnly: number;
  #firstKept: number;
  #lastTime: number;
  #pending: EventItem[] = [];
  #writing?: Promise<void>;
  /** The records and bytes that the store was given since it last dropped its surplus. */
  #added = { records: 0, bytes: 0 };
  readonly #trimming: Promise<void>;
  readonly #closing = new AbortController();
  readonly #wakers = new Set<() => void>();

  private constructor(options: EventLogOptions, kept: { first: number; last: number; time?: number }) {
    const { store, clock, limit, bytes = DEFAULT_EVENT_BYTES, memory = DEFAULT_EVENT_MEMORY, onError, onEvent } =
      options;
    this.#onEvent = onEvent ?? (() => {});
    this.#store = store;
    this.#found = new FoundEvents({ store, stream: STREAM, clock, signal: this.#closing.signal });
    this.#clock = clock;
    this.#limit = limit;
    this.#memory = memory;
    this.#retention = { records: limit, bytes };
    this.#onError = onError ?? (() => {});
    this.#inStoreOnly = kept.last;
    this.#firstKept = kept.first;
    this.#lastTime = kept.time ?? 0;
    this.#trimming = this.#trimStore();
  }

  /**
   * Goes on after what the store has, without reading it. Events that an earlier log kept beyond the limit are dropped
   * afterwards.
   */
  static async open(options: EventLogOptions): Promise<EventLog> {
    return new EventLog(options, await options.store.extent(STREAM));
  }

  /**
   * Adds an event: readers have it at once, the store soon after. Attributes that are too large are cut.
   *
   * @param passing Whether it is only for those who follow, and no part of the history that is kept
   */
  emit(event: NewEvent, passing = false): EngineEvent {
    // Times rise strictly, so that "since" the last one seen never hides a later one.
    const time = event.time ?? Math.max(this.#clock.now(), this.#lastTime + 0.001);
    const full: EngineEvent = boundEvent({ ...event, time, attributes: event.attributes ?? {} });
    this.#lastTime = Math.max(this.#lastTime, time);
    const text = encode(full);
    const item: EventItem = { event: full, text: passing ? undefined : text, size: text.length, passing };
    this.#ring.push(item);
    this.#size += item.size;
    if (!passing) this.#pending.push(item);
    this.#trim();
    if (this.#pending.length > 0) this.#writing ??= this.#write();
    this.#wake();
    this.#onEvent(full);
    return full;
  }

  /** The events that fit, oldest first. Ending the iteration, or the signal, frees the reader. */
  list(query: EventQuery): AsyncIterable<EngineEvent> {
    return { [Symbol.asyncIterator]: () => new EventReader(this, query, this.#clock) };
  }

  /** Resolves when the store has every event emitted so far. */
  async flush(): Promise<void> {
    while (this.#writing) await this.#writing;
  }

  /** Ends every reader and waits for the store. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#wake();
    await this.flush();
    await this.#trimming;
  }

  /** @internal The oldest place in memory. */
  get start(): number {
    return this.#dropped;
  }

  /** @internal The place after the newest event. */
  get end(): number {
    return this.#dropped + this.#ring.length;
  }

  /** @internal The place before which an event is neither in memory nor in the store. */
  get lostBefore(): number {
    return this.#lostBefore;
  }

  /** @internal The number of the newest event that is in the store and not in memory. */
  get inStoreOnly(): number {
    return this.#inStoreOnly;
  }

  /** @internal The number of the oldest event in the store. */
  get firstKept(): number {
    return this.#firstKept;
  }

  /** @internal */
  get closed(): boolean {
    return this.#closing.signal.aborted;
  }

  /** @internal The event at a place; the place must be in memory. */
  at(place: number): EventItem {
    return this.#ring[place - this.#dropped];
  }

  /** @internal The newest event in memory that the store has or gets. */
  newestKept(): EventItem | undefined {
    return this.#ring.findLast(({ passing }) => !passing);
  }

  /** @internal What the store has, or as much of it as may be about one of some names or IDs. */
  stored(range: StreamRange, about?: readonly string[]): AsyncIterable<StreamEntry> {
    if (about === undefined) return this.#store.read(STREAM, range);
    return this.#found.read(about, range, { first: this.#firstKept, last: this.#inStoreOnly });
  }

  /** @internal Calls back once at the next event or at the end. Returns a function that takes it back. */
  onNext(waker: () => void): () => void {
    this.#wakers.add(waker);
    return () => this.#wakers.delete(waker);
  }

  /** Drops the oldest from memory: what the store has taken, and far beyond the bound what it has not. */
  #trim(): void {
    // In steps, so that dropping the front does not move the whole ring each time.
    const isOver = (items: number, size: number, times: number) =>
      items > this.#limit * times || size > this.#memory * times;
    if (!isOver(this.#ring.length, this.#size, 1.125)) return;
    let [count, size, lost] = [0, this.#size, 0];
    while (isOver(this.#ring.length - count, size, 1)) {
      const item = this.#ring[count];
      const isWritten = item.text === undefined;
      if (!isWritten && !isOver(this.#ring.length - count, size, PATIENCE)) break;
      if (!isWritten) {
        item.text = undefined;
        lost++;
      }
      size -= item.size;
      count++;
      if (item.seq !== undefined) this.#inStoreOnly = item.seq;
      else if (!item.passing) this.#lostBefore = this.#dropped + count;
    }
    if (count === 0) return;
    this.#ring = this.#ring.slice(count);
    this.#dropped += count;
    this.#size = size;
    if (lost > 0) this.#forgetLost(lost);
  }

  #forgetLost(count: number): void {
    this.#pending = this.#pending.filter(({ text }) => text !== undefined);
    this.#onError(new Error(`Keep events: the store is too slow, ${count} are lost`));
  }

  #wake(): void {
    const wakers = [...this.#wakers];
    this.#wakers.clear();
    for (const waker of wakers) waker();
  }

  async #write(): Promise<void> {
    while (this.#pending.length > 0) {
      const items = this.#nextBatch();
      const entries = items.map(({ event: { time }, text = "" }) => ({ time, value: text }));
      try {
        const { first, last } = await this.#store.append(STREAM, entries, this.#dueRetention(items));
        items.forEach((item, i) => item.seq = last - items.length + 1 + i);
        this.#firstKept = first;
      } catch (error) {
        // An event that cannot be kept has still happened; what it tells of must not fail for it.
        this.#onError(error);
      }
      for (const item of items) item.text = undefined;
      this.#trim();
    }
    this.#writing = undefined;
  }

  /** Returns the store's bounds, but only now and then: to drop one event for each that comes takes longer than to write it. */
  #dueRetention(items: readonly EventItem[]): Retention | undefined {
    const { records = Infinity, bytes = Infinity } = this.#retention;
    this.#added.records += items.length;
    for (const { size } of items) this.#added.bytes += size;
    if (this.#added.records < records / SLACK && this.#added.bytes < bytes / SLACK) return undefined;
    this.#added = { records: 0, bytes: 0 };
    return this.#retention;
  }

  #nextBatch(): EventItem[] {
    let size = 0;
    const past = this.#pending.findIndex((item) => (size += item.size) > BATCH);
    return this.#pending.splice(0, past < 0 ? this.#pending.length : Math.max(1, past));
  }

  async #trimStore(): Promise<void> {
    try {
      while (!this.closed && await this.#store.trim(STREAM, this.#retention)) {
        await this.#clock.sleep(TRIM_PAUSE, this.#closing.signal);
      }
    } catch (error) {
      if (!this.closed) this.#onError(error);
    }
  }
}

/** The options of {@linkcode EventLog.open}. */
export interface EventLogOptions {
  store: Store;
  clock: Clock;
  /** How many of the newest events are kept. */
  limit: number;
  /** How many bytes of them the store keeps; {@linkcode DEFAULT_EVENT_BYTES} by default. */
  bytes?: number;
  /** How many bytes of them are in memory; {@linkcode DEFAULT_EVENT_MEMORY} by default. */
  memory?: number;
  /** Told when events cannot be written. */
  onError?: (error: unknown) => void;
  /** Told of each event. */
  onEvent?: (event: EngineEvent) => void;
}
