import { type Client, DIRECT } from "../call/core_client.ts";
import { HTTPError } from "../error.ts";
import { bodyOf } from "./open_channel.ts";
import { readEvents, type ServerSentEvent } from "./read_events.ts";
import { sleep } from "../call/sleep.ts";
import type { Receive, Texts } from "../call/receive.ts";

/**
 * Options of {@linkcode events}.
 *
 * @example
 * ```ts
 * import { events, type EventsOptions } from "../events.ts";
 * const stubborn: EventsOptions = { wait: 500, attempts: 20 };
 * const client = events({ fetch: () => Promise.resolve(new Response()) }, stubborn);
 * ```
 */
export interface EventsOptions {
  /** Milliseconds before the first attempt to connect again, doubled with each; 1,000 by default. The server may say otherwise. */
  readonly wait?: number;
  /** Attempts to connect again before the error is thrown; 5 by default. A value that arrives makes them fresh. */
  readonly attempts?: number;
}

/**
 * A client that asks for channels as server-sent events, and connects again where it left when a connection breaks: nothing is
 * lost and nothing comes twice where the server's source is {@linkcode resumable}. Where values come without IDs it throws.
 *
 * @param client What sends the requests: `fetch` unless told otherwise
 *
 * @example
 * ```ts
 * import { api, chan, header, int64, link, rest } from "../mod.ts";
 * import { events } from "../events.ts";
 *
 * const counter = api("counter.example.com", { Count: rest("GET /count", [], [chan(int64)]) });
 * const client = link(counter, "http://localhost:8080", events(header("authorization", "Bearer secret")));
 * ```
 */
export function events(client: Client = DIRECT, options: EventsOptions = {}): Client {
  return { ...client, receive: (request, fetch) => receiveEvents(request, fetch, options) };
}

type Fetch = Parameters<Receive>[1];

function receiveEvents(request: Request, fetch: Fetch, { wait = 1000, attempts = 5 }: EventsOptions): Texts {
  const leave = new AbortController();
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  let last: ServerSentEvent | undefined;
  let left = attempts;
  let stream = connect();
  const opened = stream.then(() => {});
  opened.catch(() => {});

  /** The events after the last one; undefined when there are none any more. */
  async function connect(): Promise<AsyncGenerator<ServerSentEvent, void> | undefined> {
    const headers = new Headers(request.headers);
    headers.set("accept", "text/event-stream");
    if (last?.id) headers.set("last-event-id", last.id);
    // A body may have to be sent again.
    const response = await fetch(new Request(request.clone(), { headers, signal: leave.signal }));
    if (response.status === 204) return undefined;
    reader = bodyOf(response);
    return readEvents(reader);
  }

  /** Waits and connects again; throws `error` where that is no use. */
  async function again(error: unknown): Promise<void> {
    if (leave.signal.aborted || !last?.id || left === 0 || isFinal(error)) throw error;
    const pause = (last.retry ?? wait) * 2 ** (attempts - left--);
    await sleep(pause, leave.signal);
    stream = connect();
    await stream.catch(again);
  }

  async function next(): Promise<string | undefined> {
    for (;;) {
      try {
        const event = await (await stream)?.next();
        if (event === undefined) return undefined;
        if (event.done) throw new Error("Read a channel: the connection broke off");
        const { name, data } = event.value;
        if (name === "end") return undefined;
        if (name === "error") throw new ChannelError(data);
        last = event.value;
        left = attempts;
        if (name === "message") return data;
      } catch (error) {
        await again(error);
      }
    }
  }

  return {
    opened,
    next,
    close() {
      reader?.cancel().catch(() => {});
      leave.abort();
      return Promise.resolve();
    },
  };
}

/** A failure that the server reports: its source has failed, and connecting again would not help. */
class ChannelError extends Error {
  constructor(data: string) {
    super(`Read a channel: ${text(data)}`);
  }
}

function text(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    return data;
  }
}

/** Whether a failure is the server's answer, and not the connection's end. */
function isFinal(error: unknown): boolean {
  if (error instanceof HTTPError) return error.status < 500 && error.status !== 429;
  return error instanceof ChannelError || error instanceof RangeError;
}
