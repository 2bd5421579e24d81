import { answerOfText } from "./answer_text.ts";
import { BEAT_EVERY } from "../channels/flow.ts";
import type { BodyPlan, Plan } from "../plan/plan_types.ts";
import { channelBody, RAW } from "../channels/channel_body.ts";
import { ChannelSource } from "../channels/channel_source.ts";
import type { Client, ClientParts } from "../call/core_client.ts";
import { isSocketFirst } from "../channels/channel_client.ts";
import { connect } from "../channels/receive_values.ts";
import { DuplexSocket, PROTOCOL } from "./duplex_socket.ts";
import { eitherOf, receiveLines } from "../channels/open_channel.ts";
import { makeDeferred } from "../run/deferred.ts";
import type { Receive, Texts } from "../call/receive.ts";
import { sendsPieces } from "../codecs/stream_body.ts";
import { writeJSON } from "../codecs/json.ts";
import { isAsyncIterable } from "../codecs/record.ts";

/**
 * Calls operations that take a channel over WebSockets: the part of a client that does, beside `channelBody` and `readChannel`. One with a channel as
 * result, too, is called so wherever channels are WebSockets (see the option `websocket` of a call), and as lines over HTTP where none
 * can be opened. One with a plain result is sent over HTTP, unless its call says `websocket: true` or the runtime sends no body piece by
 * piece, as some browsers do not.
 *
 * @example
 * ```ts
 * import { api, chan, channelBody, int64, linkWith, readChannel, rest, sendDuplex } from "../client.ts";
 * const parts = { channel: readChannel, stream: channelBody, around: sendDuplex };
 * const echo = api("echo.example.com", { Echo: rest("POST /echo", [chan(int64)], [chan(int64)]) });
 * // With a `fetch` of one's own the values are lines.
 * const fetch = (request: Request) => Promise.resolve(new Response(request.body));
 * const client = linkWith(parts, echo, "http://localhost", { fetch });
 * async function* values() {
 *   yield* [1n, 2n];
 * }
 * console.assert((await Array.fromAsync(await client.Echo(values()))).join() === "1,2");
 * ```
 */
export const sendDuplex: NonNullable<ClientParts["around"]> = (plan, make, client) => {
  const call = make(client);
  const { body, result: { shape } } = plan;
  if (!body?.item || shape === "stream") return call;
  const [at] = body.arguments;
  return (args, options) => {
    const source = args[at];
    const wanted = options.websocket ?? (shape === "channel" || !sendsPieces());
    if (!wanted || !isAsyncIterable(source) || RAW in source) return call(args, options);
    const bare = args.map((value, index) => index === at ? undefined : value);
    const duplex = new CalledDuplex(plan, body, source);
    const { websocket } = options;
    if (shape !== "channel") {
      return make({ fetch: (request) => duplex.exchange(request, client, websocket === true) })(bare, options);
    }
    const receive: Receive = (request, fetch) => {
      const upgrade = client.prepare?.(request) ?? request;
      return duplex.receive(request, fetch, websocket ?? (isSocketFirst(upgrade, client) && "first"), upgrade, client);
    };
    const fetch = (request: Request) => duplex.answered ?? client.fetch(request);
    return make({ fetch, receive })(bare, { ...options, websocket: false });
  };
};

/** One call, at the client. */
class CalledDuplex {
  readonly #plan: Plan;
  readonly #body: BodyPlan;
  readonly #source: AsyncIterable<unknown>;
  /** The answer that came instead of a channel. */
  answered: Promise<Response> | undefined;

  constructor(plan: Plan, body: BodyPlan, source: AsyncIterable<unknown>) {
    this.#plan = plan;
    this.#body = body;
    this.#source = source;
  }

  /** Receives a channel; `websocket` is as `openChannel` takes it. */
  receive(
    request: Request,
    fetch: Client["fetch"],
    websocket: boolean | "first",
    upgrade: Request,
    client: Client,
  ): Texts {
    const byHTTP = () => (client.receive ?? receiveLines)(this.#withBody(request), fetch);
    const bySocket = () => this.#texts(upgrade, client, () => fetch(request));
    if (!websocket) return byHTTP();
    return websocket === "first" ? eitherOf(bySocket, byHTTP) : bySocket();
  }

  /** Calls an operation with a plain result. */
  async exchange(request: Request, client: Client, required: boolean): Promise<Response> {
    const upgrade = client.prepare?.(request) ?? request;
    const { promise, resolve, reject } = makeDeferred<Response>();
    promise.catch(() => {});
    const { signal } = request;
    signal.throwIfAborted();
    const texts = this.#texts(upgrade, client, () => this.answered!.then(resolve, reject));
    const abort = () => {
      reject(signal.reason);
      texts.close();
    };
    signal.addEventListener("abort", abort, { once: true });
    try {
      try {
        await texts.opened;
      } catch (error) {
        signal.throwIfAborted();
        if (required) throw error;
        return await client.fetch(this.#withBody(request));
      }
      texts.next().then(() => reject(new Error(`Call "${this.#plan.name}": closed without an answer`)), reject);
      return await promise;
    } finally {
      signal.removeEventListener("abort", abort);
      texts.close();
    }
  }

  #withBody(request: Request): Request {
    if (!sendsPieces()) {
      throw new TypeError(
        `Call "${this.#plan.name}": no WebSocket could be opened, and this runtime sends no channel over HTTP`,
      );
    }
    const headers = new Headers(request.headers);
    if (!headers.has("content-type")) headers.set("content-type", this.#body.contentType);
    const body = channelBody(this.#source, this.#body);
    // The library of types does not know `duplex`, which a stream needs.
    return new Request(request, { headers, body, duplex: "half" } as RequestInit);
  }

  /**
   * Sends the source, and receives texts.
   *
   * @param judge Looks at an answer that comes instead of a channel, and throws what it says
   */
  #texts(upgrade: Request, client: Client, judge: () => Promise<unknown>): Texts {
    const protocol = this.#plan.method === "POST" ? PROTOCOL : `${PROTOCOL}.${this.#plan.method.toLowerCase()}`;
    const raw = (client.openWebSocket ?? connect)(upgrade, [protocol]);
    const { promise: opened, resolve, reject } = makeDeferred<void>();
    opened.catch(() => {});
    let words: string | undefined;
    let beats: ReturnType<typeof setInterval> | undefined;
    let failure: { error: unknown } | undefined;
    const socket = new DuplexSocket(raw, {
      closed: (code, reason) => {
        const said = reason || words;
        return code === 1000 ? undefined : new Error(`Read a channel: closed with ${code}${said ? `: ${said}` : ""}`);
      },
      failed: (words) => new Error(`Read a channel: ${words}`),
      answered: (text) => {
        this.answered = Promise.resolve(text).then(answerOfText);
        this.answered.catch(() => {});
        raw.close();
      },
      over(reason) {
        clearInterval(beats);
        reject(reason ?? new Error("Open a channel: closed before it was open"));
      },
    });
    // Runtimes that know why a connection failed say so here; a browser does not tell.
    raw.addEventListener("error", (event) => words = (event as Partial<ErrorEvent>).message);
    raw.addEventListener("open", () => {
      if (raw.protocol !== protocol) return socket.close(1000, "");
      socket.start();
      socket.write("+0");
      beats = setInterval(() => socket.write("+0"), BEAT_EVERY);
      const values = new ChannelSource(this.#source, (value) => writeJSON(value, this.#body.kind));
      // The server is not told why: its words may be secret.
      socket.send(values, () => "its source failed").then((failed) => failure = failed);
      resolve();
    });
    return {
      opened,
      next: async () => {
        try {
          const text = await socket.next();
          if (text === undefined && this.answered) await judge();
          return text;
        } catch (error) {
          throw failure ? failure.error : error;
        }
      },
      close() {
        socket.close(1000, "");
        return Promise.resolve();
      },
    };
  }
}
