import { WINDOW } from "./flow.ts";
import { askFailures, throwFailure } from "./failure_line.ts";
import type { Channel } from "../plan/marker.ts";
import { readLines } from "./ndjson.ts";
import { receiveValues } from "./receive_values.ts";
import type { OpenWebSocket, Receive, Texts } from "../call/receive.ts";
import { type TextChannel, TEXTS } from "../run/forwarded.ts";

/** How {@linkcode openChannel} gets its values. */
export interface OpenOptions<T> {
  /** The request that opens the channel. */
  readonly request: Request;
  /** Sends it; expected to throw for a response that is an error. */
  fetch(request: Request): Promise<Response>;
  /** Makes a value of its JSON text. */
  decode(text: string): T | Promise<T>;
  /** Open a WebSocket to the request's address instead; `"first"`: fall back to HTTP where none can be opened. */
  readonly websocket?: boolean | "first";
  /** The request that opens the WebSocket, if it is another. */
  readonly upgrade?: Request;
  /** The function that opens a WebSocket; the platform's own by default. */
  readonly openWebSocket?: OpenWebSocket;
  /** The source of the texts when the channel is no WebSocket; lines of JSON by default. */
  readonly receive?: Receive;
  readonly signal?: AbortSignal;
}

/** A channel that tells when the peer has answered. */
export interface OpenChannel<T> extends Channel<T>, TextChannel {
  /** Settles when the channel is open, or cannot be opened. */
  readonly opened: Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens a channel at once, whether or not anybody reads it yet; errors are thrown to the reader. For one reader.
 *
 * @example
 * ```ts ignore
 * const channel = openChannel({ request, fetch, decode: JSON.parse });
 * for await (const value of channel) if (enough(value)) break; // leaving the loop closes the channel
 * ```
 */
export function openChannel<T>(options: OpenOptions<T>): OpenChannel<T> {
  const { signal } = options;
  const { receive = receiveLines, request, fetch, websocket, upgrade = request } = options;
  const byHTTP = () => receive(request, fetch);
  const bySocket = () => receiveValues(upgrade, WINDOW, options.openWebSocket);
  const texts = websocket === "first" ? eitherOf(bySocket, byHTTP) : websocket ? bySocket() : byHTTP();
  let closed: Promise<void> | undefined;
  const close = () => {
    signal?.removeEventListener("abort", close);
    return closed ??= texts.close();
  };
  signal?.addEventListener("abort", close, { once: true });
  if (signal?.aborted) close();
  const iteratorOf = <V>(read: (text: string) => V | Promise<V>): AsyncIterator<V, void> => ({
    async next() {
      try {
        const text = closed ? undefined : await texts.next();
        signal?.throwIfAborted();
        if (text !== undefined) return { done: false, value: await read(text) };
      } catch (error) {
        // One that a `fetch` of the caller's own has aborted is no end.
        const wasClosed = closed !== undefined;
        await close();
        // Whatever an abort breaks off, the reason is what the caller gave.
        signal?.throwIfAborted();
        if (wasClosed && isAbort(error)) return { done: true, value: undefined };
        throw error;
      }
      await close();
      return { done: true, value: undefined };
    },
    async return() {
      await close();
      return { done: true, value: undefined };
    },
  });
  const iterator = iteratorOf(options.decode);
  return {
    opened: texts.opened,
    close,
    [Symbol.asyncIterator]: () => iterator,
    [TEXTS]: { [Symbol.asyncIterator]: () => iteratorOf((text) => text) },
  };
}

function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === "AbortError";
}

/** The texts of the first source, or of the second where the first cannot be opened. */
export function eitherOf(first: () => Texts, second: () => Texts): Texts {
  let texts: Texts;
  let isClosed = false;
  try {
    texts = first();
  } catch {
    // The platform's class refuses the address, or the request's headers.
    return second();
  }
  const opened = texts.opened.catch((error) => {
    if (isClosed) throw error;
    return (texts = second()).opened;
  });
  opened.catch(() => {});
  return {
    opened,
    async next() {
      // If neither opens, the second tells why.
      await opened.catch(() => {});
      return await texts.next();
    },
    close() {
      isClosed = true;
      return texts.close();
    },
  };
}

/** Newline-delimited values over `fetch`. */
export const receiveLines: Receive = (request, fetch) => {
  const leave = new AbortController();
  const headers = askFailures(request.headers);
  const body = fetch(new Request(request, { headers, signal: leave.signal })).then(bodyOf);
  const lines = body.then(readLines);
  const opened = lines.then(() => {});
  opened.catch(() => {});
  return {
    opened,
    async next() {
      const line = (await (await lines).next()).value ?? undefined;
      if (line !== undefined) throwFailure(line);
      return line;
    },
    close() {
      // A body that is cancelled ends the wait of a reader; one that has yet to come is not waited for.
      body.then((reader) => reader.cancel()).catch(() => {});
      leave.abort();
      return Promise.resolve();
    },
  };
};

/**
 * The reader of a response's body.
 *
 * @throws {Error} if the response is no success
 */
export function bodyOf(response: Response): ReadableStreamDefaultReader<Uint8Array> {
  if (response.ok) return (response.body ?? new Blob([]).stream()).getReader();
  response.body?.cancel().catch(() => {});
  throw new Error(`Open a channel: answered with status ${response.status}`);
}
