import { boundEvent, EVENT_BYTES } from "./event_attributes.ts";
import { EventIndex } from "./event_index.ts";
import { TURN } from "./event_reader.ts";
import type { EngineEvent } from "./events.ts";
import { decode } from "./json.ts";
import type { Clock, Store, StreamEntry, StreamRange } from "../ports/ports.ts";

/** The stream that is read, and what ends that. */
export interface FoundSource {
  store: Store;
  stream: string;
  clock: Clock;
  /** The end of the log. */
  signal: AbortSignal;
}

/**
 * Reads the events of the store that may be about one of some names or IDs. The first reader has the whole history read once, for an index;
 * the next ones have what came since. Nothing is kept where nobody asks.
 */
export class FoundEvents {
  readonly #source: FoundSource;
  readonly #index = new EventIndex();
  /** The end of the work on the index: two at once would add the same events. */
  #extended: Promise<void> = Promise.resolve();

  constructor(source: FoundSource) {
    this.#source = source;
  }

  /**
   * Reads them in order; where too many may be about it, all of the range.
   *
   * @param kept The numbers of the oldest event in the store, and of the newest that has to be found
   */
  async *read(
    about: readonly string[],
    range: StreamRange,
    kept: { first: number; last: number },
  ): AsyncIterable<StreamEntry> {
    const { store, stream } = this.#source;
    await (this.#extended = this.#extended.catch(() => {}).then(() => this.#extend(kept)));
    const found = this.#index.find(Math.max(range.after ?? 0, kept.first - 1), about);
    if (found === undefined) return yield* store.read(stream, range);
    for (const seq of found) {
      if (seq <= kept.last) yield* store.read(stream, { ...range, after: seq - 1, last: seq });
    }
  }

  async #extend({ first, last }: { first: number; last: number }): Promise<void> {
    const { store, stream, clock, signal } = this.#source;
    this.#index.forget(first);
    if (this.#index.last >= last) return;
    let read = 0;
    for await (const { seq, value } of store.read(stream, { after: this.#index.last, last, most: EVENT_BYTES })) {
      if (signal.aborted) return;
      // As a reader gets it: names of earlier versions may be longer than those are now.
      this.#index.add(seq, boundEvent(decode<EngineEvent>(value)));
      if ((read += value.length) <= TURN) continue;
      read = 0;
      await clock.sleep(0);
      if (signal.aborted) return;
    }
  }
}
