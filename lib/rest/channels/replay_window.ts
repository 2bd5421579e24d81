import { type Resumable, resumable, type ResumableOptions } from "./resumable.ts";
import { passedOn, SharedSource } from "./shared_source.ts";
import { writeJSON } from "../codecs/json.ts";

/**
 * Options of {@linkcode replayWindow}.
 *
 * @example
 * ```ts
 * import { replayWindow, type ReplayOptions } from "../events.ts";
 * const small: ReplayOptions = { count: 10, bytes: 4096, linger: 5000, recent: 1 };
 * const prices = replayWindow<number>(small);
 * prices.close();
 * ```
 */
export interface ReplayOptions extends ResumableOptions {
  /** How many of the last values are kept, of each key; 1,000 by default. */
  readonly count?: number;
  /** How many bytes of JSON they may be together, about; 1 Mi by default. The last one is kept however long it is. */
  readonly bytes?: number;
  /** Milliseconds for which a source is kept when its last caller has left; 30,000 by default. */
  readonly linger?: number;
  /** How many sources without a caller are kept; 1,000 by default. The ones that were left first go first. */
  readonly idle?: number;
  /** How many of the kept values a caller gets that comes to a source for the first time; none by default: what comes from then on. */
  readonly recent?: number;
}

type OpenSource<T> = (signal: AbortSignal) => AsyncIterable<T>;

/**
 * A window over the last values of sources: called with a key and what opens the source of that key.
 *
 * @example
 * ```ts
 * import { type ReplayWindow, replayWindow } from "../events.ts";
 * async function* letters() {
 *   yield* "ab";
 * }
 * const window: ReplayWindow<string> = replayWindow<string>();
 * console.assert((await Array.fromAsync(window("letters", letters))).join() === "a,b");
 * window.close();
 * ```
 */
export interface ReplayWindow<T> {
  /** The signal that `open` gets ends when the source is let go: a source that waits for its next value must end with it. */
  (key: unknown, open: OpenSource<T>): Resumable<T>;
  /** Lets all sources go. */
  close(): void;
}

/**
 * Lets the callers of any channel come back where they left: the last values of its source are kept, with IDs, and a client that sends
 * `Last-Event-ID` over server-sent events gets those that it has missed. Callers of the same key share one source, which is opened for the first of
 * them; who comes later without an ID gets what comes from then on. The source is read as fast as the fastest caller reads. A
 * caller that falls behind by more than the window, or comes back too late, gets an `HTTPError` 410. Without a caller the source is read until the
 * window is full, and let go after `linger`: the signal that `open` gets ends then. Make one for each operation, outside of its function; values that depend on who calls
 * need that in the key.
 *
 * @throws {RangeError} for a number that is negative, or not a number
 *
 * @example
 * ```ts
 * import { api, chan, handler, implement, int64, rest } from "../mod.ts";
 * import { replayWindow } from "../events.ts";
 *
 * const ticker = api("ticker.example.com", { Ticks: rest("GET /ticks?of=%v", [int64], [chan(int64)]) });
 * async function* ticks(of: bigint) {
 *   yield* [of, of * 2n, of * 3n];
 * }
 * const window = replayWindow<bigint>({ count: 100 });
 * const serve = handler(null, implement(ticker, { Ticks: (of) => window(of, () => ticks(of)) }));
 * const get = (headers: Record<string, string>) =>
 *   serve(new Request("http://localhost/ticks?of=5", { headers: { accept: "text/event-stream", ...headers } }));
 * const [, id] = /id: (\S+)\ndata: 5\n/.exec(await (await get({})).text())!;
 * const missed = await (await get({ "last-event-id": id })).text();
 * console.assert(!missed.includes("data: 5\n") && missed.includes("data: 10\n") && missed.includes("data: 15\n"));
 * window.close();
 * ```
 */
export function replayWindow<T>(options: ReplayOptions = {}): ReplayWindow<T> {
  const { count = 1000, bytes = 1024 * 1024, linger = 30_000, idle = 1000, recent = 0 } = options;
  for (const [name, value] of Object.entries({ count, bytes, linger, idle, recent })) {
    if (!(value >= 0)) throw new RangeError(`Make a replay window: ${name} is ${value}`);
  }
  const kept = { count, bytes, size: (value: T) => writeJSON(value).length };
  const sources = new Map<string, SharedSource<T>>();
  /** The timers of sources without a caller, in the order they were left. */
  const left = new Map<string, ReturnType<typeof setTimeout>>();
  const forget = (key: string) => {
    clearTimeout(left.get(key));
    left.delete(key);
    sources.get(key)?.close();
    sources.delete(key);
  };
  const begin = (key: string, open: OpenSource<T>) => {
    forget(key);
    const source: SharedSource<T> = new SharedSource(open, kept, () => {
      // One that was replaced is nobody's any more.
      if (sources.get(key) !== source) return source.close();
      left.set(key, setTimeout(forget, linger, key));
      for (const [first] of left) if (left.size > idle) forget(first);
    });
    sources.set(key, source);
    return source;
  };
  const read = (key: string, open: OpenSource<T>, after: string | undefined) => {
    const known = sources.get(key);
    if (after !== undefined && !known) throw passedOn(after);
    // A caller that has seen nothing of a source that is over begins anew.
    const source = known && (after !== undefined || !known.ended) ? known : begin(key, open);
    const place = after === undefined ? source.newest(recent) : source.placeOf(after);
    clearTimeout(left.get(key));
    left.delete(key);
    return source.read(place);
  };
  const window = (key: unknown, open: OpenSource<T>) => {
    const name = writeJSON(key);
    // Opened when it is read, so that what is wrong is told to who reads.
    return resumable<T>(
      (after) => ({ [Symbol.asyncIterator]: () => openLater(() => read(name, open, after)) }),
      options,
    );
  };
  return Object.assign(window, {
    close() {
      for (const key of [...sources.keys()]) forget(key);
    },
  });
}

function openLater<V>(open: () => AsyncIterator<V, void>): AsyncIterator<V, void> {
  let opened: AsyncIterator<V, void> | undefined;
  return {
    // A rejection, not a throw.
    next: async () => await (opened ??= open()).next(),
    return: async () => await opened?.return?.() ?? { done: true, value: undefined },
  };
}
