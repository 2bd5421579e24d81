import { EngineError } from "../errors.ts";
import { boundEvent, EVENT_BYTES } from "./event_attributes.ts";
import type { EngineEvent, EventLog, EventQuery } from "./events.ts";
import { decode } from "./json.ts";
import type { Clock, StreamEntry } from "../ports/ports.ts";

/** Characters of history that are read before others get their turn. */
export const TURN = 256 * 1024;

/** An event in memory. */
export interface EventItem {
  readonly event: EngineEvent;
  /** As the store gets it; absent once the store has answered. */
  text?: string;
  readonly size: number;
  /** Whether it is only for those who read it soon: it never gets into the store. */
  readonly passing: boolean;
  /** Its number in the store; absent before it is there, and where it could not be written. */
  seq?: number;
}

/**
 * A reader of the event log. It reads the store up to what is in memory, then what is in memory; one that falls behind that
 * goes back to the store. Written by hand: an async generator cannot be ended while it waits.
 */
export class EventReader implements AsyncIterator<EngineEvent, undefined> {
  readonly #log: EventLog;
  readonly #query: EventQuery;
  readonly #clock: Clock;
  readonly #stop = new AbortController();
  /** The reader's place in memory; absent while it reads the store. */
  #place?: number;
  /** The event that it has taken from memory last. */
  #taken?: EventItem;
  /** The number of the last event that it is past. */
  #after = 0;
  /** Whether it has to have every event after that one. */
  #isBound = false;
  #stored?: { entries: AsyncIterator<StreamEntry>; border: number };
  /** Characters read from the store since others had their turn. */
  #read = 0;
  /** The end of a reader that does not follow: the place, the last event before it, and the number of that one. */
  readonly #end: { place: number; item?: EventItem; seq: number };
  #deadline = false;
  #wake?: () => void;

  constructor(log: EventLog, query: EventQuery, clock: Clock) {
    this.#log = log;
    this.#query = query;
    this.#clock = clock;
    const newest = log.newestKept();
    this.#end = { place: log.end, item: newest, seq: log.inStoreOnly };
    if (query.follow && query.since === undefined && query.until === undefined) {
      this.#place = log.end;
      this.#taken = newest;
      this.#after = log.inStoreOnly;
    }
    if (query.signal?.aborted) this.#stop.abort();
    query.signal?.addEventListener("abort", () => this.#stop.abort(), { once: true, signal: this.#stop.signal });
    this.#stop.signal.addEventListener("abort", () => this.#wake?.(), { once: true });
    if (query.follow && query.until !== undefined) this.#endAt(query.until, clock);
  }

  async next(): Promise<IteratorResult<EngineEvent, undefined>> {
    try {
      while (!this.#stop.signal.aborted) {
        const event = this.#place === undefined ? await this.#fromStore() : this.#fromMemory(this.#place);
        if (this.#stop.signal.aborted) break;
        if (event !== undefined) return { done: false, value: event };
        if (this.#place === undefined || this.#place < this.#log.end && !this.#isOver()) continue;
        if (this.#isOver() || this.#deadline || this.#log.closed) break;
        await this.#wait();
      }
    } catch (error) {
      this.#stop.abort();
      throw error;
    }
    this.#stop.abort();
    return { done: true, value: undefined };
  }

  return(): Promise<IteratorResult<EngineEvent, undefined>> {
    this.#stop.abort();
    return Promise.resolve({ done: true, value: undefined });
  }

  /** Whether one that does not follow has seen everything before its end. */
  #isOver(): boolean {
    return !this.#query.follow && this.#place !== undefined && this.#place >= this.#end.place;
  }

  /** The next event in memory that fits; `undefined` at the end of it, and where it has to go back to the store. */
  #fromMemory(place: number): EngineEvent | undefined {
    if (place < this.#log.start) {
      this.#goBack(place);
      return undefined;
    }
    const end = this.#query.follow ? this.#log.end : Math.min(this.#end.place, this.#log.end);
    while (place < end) {
      const item = this.#log.at(place++);
      this.#place = place;
      // A passing event has no place in the store to go back to.
      if (!item.passing) this.#taken = item;
      if (this.#fits(item.event)) return item.event;
    }
    return undefined;
  }

  /** Goes back to the store: only the store may still have the events that the reader has not seen yet. */
  #goBack(place: number): void {
    const after = this.#taken ? this.#taken.seq : this.#after;
    if (after === undefined || place < this.#log.lostBefore) throw tooFarBehind();
    this.#after = after;
    this.#isBound = true;
    this.#place = undefined;
  }

  /** The next event of the store that fits; `undefined` where there is none before what is in memory. */
  async #fromStore(): Promise<EngineEvent | undefined> {
    const log = this.#log;
    while (!this.#stop.signal.aborted) {
      const last = this.#end.item ? this.#end.item.seq : this.#end.seq;
      const isPast = !this.#query.follow && last !== undefined && this.#after >= last && last > 0;
      if (this.#after >= log.inStoreOnly || isPast || log.closed) {
        this.#stored = undefined;
        this.#place = isPast ? log.end : log.start;
        return undefined;
      }
      if (this.#isBound && log.firstKept > this.#after + 1) throw tooFarBehind();
      const entry = await this.#nextStored();
      if (entry === undefined) continue;
      if (entry.seq > log.inStoreOnly) {
        // It is in memory, and so is everything before it that was not dropped.
        this.#after = log.inStoreOnly;
        continue;
      }
      this.#after = entry.seq;
      this.#isBound = true;
      // An earlier version may have kept larger events than are kept now.
      const event = boundEvent(decode<EngineEvent>(entry.value));
      if (this.#fits(event)) return event;
    }
    return undefined;
  }

  async #nextStored(): Promise<StreamEntry | undefined> {
    const log = this.#log;
    const { since, about } = this.#query;
    this.#stored ??= {
      entries: log.stored({ after: this.#after, since, most: EVENT_BYTES }, about)[Symbol.asyncIterator](),
      border: log.inStoreOnly,
    };
    if (this.#read > TURN) {
      this.#read = 0;
      await this.#clock.sleep(0);
    }
    const { entries, border } = this.#stored;
    const { done, value } = await entries.next();
    if (!done) {
      this.#read += value.value.length;
      return value;
    }
    // Events that came in since this reading began need another one.
    this.#after = Math.max(this.#after, border);
    this.#stored = undefined;
    return undefined;
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

function tooFarBehind(): EngineError {
  return new EngineError("limit", "Read events: the reader fell too far behind");
}
