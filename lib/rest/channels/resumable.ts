/** The key under which a channel's source says how it is resumed. */
export const RESUME: unique symbol = Symbol("gantry.rest.resume");

/**
 * Options of {@linkcode resumable}.
 *
 * @example
 * ```ts
 * import { resumable, type ResumableOptions } from "../events.ts";
 * const lively: ResumableOptions = { heartbeat: 2000 };
 * const silence = resumable<string>(async function* () {}, lively);
 * ```
 */
export interface ResumableOptions {
  /** Milliseconds of silence after which a comment is sent; 15,000 by default. */
  readonly heartbeat?: number;
}

/** The description of a source that can be resumed. */
export interface Resume<T> extends ResumableOptions {
  open(after: string | undefined): AsyncIterable<readonly [id: string, value: T]>;
}

/**
 * A channel's source that can begin after a value the client has seen.
 *
 * @example
 * ```ts
 * import { resumable, type Resumable } from "../events.ts";
 * const letters: Resumable<string> = resumable(async function* (after = "") {
 *   for (const letter of "abc") if (letter > after) yield [letter, letter] as const;
 * });
 * console.assert((await Array.fromAsync(letters)).join("") === "abc");
 * ```
 */
export interface Resumable<T> extends AsyncIterable<T> {
  readonly [RESUME]: Resume<T>;
}

/**
 * Makes the source of a channel whose clients come back where they left: over server-sent events every value goes out with its
 * ID, and a client that sends `Last-Event-ID`, as browsers' `EventSource` and {@linkcode events} do after a broken connection,
 * gets what follows. Over a WebSocket, or as lines, the values go out from the beginning.
 *
 * @param open Yields values with their IDs (printable ASCII), after the one that is given; throws an `HTTPError` 410 when that
 * is too long ago
 *
 * @example
 * ```ts
 * import { api, chan, handler, implement, int64, rest } from "../mod.ts";
 * import { resumable } from "../events.ts";
 *
 * const counter = api("counter.example.com", { Count: rest("GET /count", [], [chan(int64)]) });
 * async function* count(after = "0") {
 *   for (let n = BigInt(after) + 1n; n <= 5n; n++) yield [String(n), n] as const;
 * }
 * const serve = handler(null, implement(counter, { Count: () => resumable(count) }));
 * const headers = { accept: "text/event-stream", "last-event-id": "4" };
 * const response = await serve(new Request("http://localhost/count", { headers }));
 * console.assert(await response.text() === "id: 5\ndata: 5\n\nevent: end\ndata: \n\n");
 * ```
 */
export function resumable<T>(
  open: (after: string | undefined) => AsyncIterable<readonly [id: string, value: T]>,
  options: ResumableOptions = {},
): Resumable<T> {
  return {
    [RESUME]: { open, ...options },
    async *[Symbol.asyncIterator]() {
      for await (const [, value] of open(undefined)) yield value;
    },
  };
}
