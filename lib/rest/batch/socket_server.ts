import { answerOf, BatchCaller, readCall } from "./batch_caller.ts";
import { type Authenticator, identify } from "../auth.ts";
import { BEAT, SilenceWatch } from "../channels/flow.ts";
import { type CallLine, PATH, SOCKET } from "./batch_lines.ts";
import { close, drained, opened, wantsWebSocket } from "../channels/websocket_channel.ts";
import { upgradeError } from "../run/duplex_call.ts";
import { credentialOf, offeredProtocols } from "../channels/socket_protocols.ts";
import type { Handler, Platform } from "../context.ts";
import { HTTPError } from "../error.ts";
import { isRecord } from "../codecs/record.ts";
import { refuseCrossSite } from "../run/cross_site.ts";

/** A peer that takes nothing for this long is too slow (milliseconds). */
const STALL = 10_000;

/**
 * Options of {@linkcode answerSocketCalls}.
 *
 * @example
 * ```ts
 * import { answerSocketCalls, type SocketAnswerOptions } from "../batch.ts";
 * import { bearer } from "../mod.ts";
 * const guarded: SocketAnswerOptions = { auth: bearer("secret"), calls: 20, atOnce: 4, bytes: 65536 };
 * const serve = answerSocketCalls(() => Promise.resolve(new Response("alone")), guarded);
 * ```
 */
export interface SocketAnswerOptions {
  /** The path of the WebSocket; `/batch` by default. */
  readonly path?: string;
  /**
   * The authenticator of whoever opens the WebSocket; its `cors` says which other sites' pages may. By default every caller of the same site may: each call is
   * checked by itself in any case.
   */
  readonly auth?: Authenticator<unknown> | null;
  /** The most calls of a WebSocket that are not answered yet; 100 by default. */
  readonly calls?: number;
  /** How many of them run at once; 8 by default. */
  readonly atOnce?: number;
  /** The most characters of a call; 1 Mi by default, which is also the most that our listeners take. */
  readonly bytes?: number;
  /** The most bytes of one answer's body; 4 Mi by default. */
  readonly answerBytes?: number;
}

/**
 * Answers calls that come over one WebSocket, which {@linkcode socketCalls} sends, by a handler that answers each: as {@linkcode answerBatches} does
 * for those of one request, with the same rules. A message is a call, and each answer is one, as soon as it is ready. `{"id":7,"cancel":true}`
 * cancels a call, which is then not answered. A peer that sends what is no call, an ID of a call that is not answered yet, or more calls than it may
 * loses its WebSocket (1008), and its calls are aborted. All else passes through to the handler.
 *
 * @throws {RangeError} for a limit below one
 *
 * @example
 * ```ts
 * import { api, handler, implement, int64, rest } from "../mod.ts";
 * import { answerSocketCalls } from "../batch.ts";
 * const calculator = api("calculator.example.com", { Add: rest("GET /sum?a=%v&b=%v", [int64, int64], [int64]) });
 * const serve = answerSocketCalls(handler(null, implement(calculator, { Add: (a, b) => a + b })));
 * console.assert(await (await serve(new Request("http://localhost/sum?a=1&b=2"))).text() === "3");
 * ```
 */
export function answerSocketCalls(serve: Handler, options: SocketAnswerOptions = {}): Handler {
  const { path = PATH, auth = null, calls = 100, atOnce = 8, bytes = 1 << 20, answerBytes = 4 << 20 } = options;
  for (const [name, value] of Object.entries({ calls, atOnce, bytes, answerBytes })) {
    if (!(value >= 1)) throw new RangeError(`Answer calls over a WebSocket: ${name} is ${value}`);
  }
  return async (request, platform) => {
    const isOurs = wantsWebSocket(request) && request.method === "GET" && new URL(request.url).pathname === path &&
      offeredProtocols(request.headers).includes(SOCKET);
    if (!isOurs) return await serve(request, platform);
    try {
      refuseCrossSite(request, auth, "the upgrade");
      if (auth) await identify(auth, request, path);
      if (!platform?.upgradeWebSocket) {
        throw new HTTPError(501, "Open a WebSocket: this runtime has none to give", { kind: "unimplemented" });
      }
      // Deno takes the headers of a request away that has become a WebSocket.
      const caller = new BatchCaller(carrierOf(request), serve, platform, answerBytes);
      const { socket, response } = platform.upgradeWebSocket({ protocol: SOCKET });
      const served = new SocketCalls(socket, caller, { calls, atOnce, bytes }, platform);
      platform.waitUntil?.(served.closed);
      return response;
    } catch (error) {
      const { status, headers, text } = answerOf(undefined, upgradeError(request, error));
      return new Response(text, { status, headers: headers.map(([...pair]) => pair) });
    }
  };
}

/** The request whose headers are those of each call. A browser's credential comes as a subprotocol, and is a header again. */
function carrierOf(request: Request): Request {
  const headers = new Headers(request.headers);
  for (const scheme of ["bearer", "basic"] as const) {
    const credential = credentialOf(request.headers, scheme);
    if (credential !== undefined) headers.set("authorization", `${scheme} ${credential}`);
  }
  return new Request(request.url, { headers });
}

interface Limits {
  readonly calls: number;
  readonly atOnce: number;
  readonly bytes: number;
}

/** The calls of one WebSocket. */
class SocketCalls {
  /** Settles when it is over. */
  readonly closed: Promise<void>;
  readonly #socket: WebSocket;
  readonly #caller: BatchCaller;
  readonly #limits: Limits;
  readonly #over = new AbortController();
  readonly #watch: SilenceWatch;
  /** The abort controllers of calls that are not answered yet, by ID. */
  readonly #calls = new Map<number, AbortController>();
  readonly #waiting: CallLine[] = [];
  #running = 0;

  constructor(socket: WebSocket, caller: BatchCaller, limits: Limits, platform: Platform) {
    this.#socket = socket;
    this.#caller = caller;
    this.#limits = limits;
    this.#watch = new SilenceWatch(platform.socketPatience, () => this.#end(1001, "The peer is silent"));
    socket.addEventListener("message", ({ data }) => this.#take(data));
    this.closed = new Promise((resolve) => {
      const leave = () => {
        this.#finish();
        resolve();
      };
      socket.addEventListener("close", leave);
      socket.addEventListener("error", leave);
    });
  }

  #take(data: unknown): void {
    if (this.#over.signal.aborted) return;
    this.#watch.hear(data === BEAT);
    if (data === BEAT) return;
    if (typeof data !== "string") return this.#end(1003, "A binary message");
    if (data.length > this.#limits.bytes) {
      return this.#end(1009, `A call of more than ${this.#limits.bytes} characters`);
    }
    const cancelled = cancelledBy(data);
    if (cancelled !== undefined) return this.#cancel(cancelled);
    let call: CallLine;
    try {
      call = readCall(data, "a message");
    } catch {
      return this.#end(1008, "A message that is no call");
    }
    if (this.#calls.has(call.id)) return this.#end(1008, `Another call has the ID ${call.id}`);
    if (this.#calls.size >= this.#limits.calls) return this.#end(1008, `More than ${this.#limits.calls} calls`);
    this.#calls.set(call.id, new AbortController());
    this.#waiting.push(call);
    this.#runNext();
  }

  #cancel(id: number): void {
    const index = this.#waiting.findIndex((call) => call.id === id);
    if (index >= 0) this.#waiting.splice(index, 1);
    this.#calls.get(id)?.abort(new DOMException("The caller has cancelled the call", "AbortError"));
    // One that runs on in spite of that still has its place among those that run at once.
    this.#calls.delete(id);
  }

  #runNext(): void {
    while (this.#running < this.#limits.atOnce) {
      const call = this.#waiting.shift();
      if (!call) return;
      this.#running++;
      const controller = this.#calls.get(call.id)!;
      this.#run(call, controller.signal).finally(() => {
        this.#running--;
        // One that was cancelled has left its ID to another.
        if (this.#calls.get(call.id) === controller) this.#calls.delete(call.id);
        this.#runNext();
      });
    }
  }

  async #run(call: CallLine, signal: AbortSignal): Promise<void> {
    const answer = await this.#caller.answer(call, signal);
    await opened(this.#socket, this.#over.signal);
    // Until answers are taken, no further call runs in this one's place.
    if (!await drained(this.#socket, this.#over.signal, STALL)) return this.#end(1013, "The peer reads too slowly");
    if (!signal.aborted && this.#socket.readyState === 1) this.#socket.send(JSON.stringify(answer));
  }

  #end(code: number, reason: string): void {
    close(this.#socket, code, reason);
    // A peer like that may never answer the close.
    this.#finish();
  }

  #finish(): void {
    if (this.#over.signal.aborted) return;
    this.#over.abort();
    this.#watch.end();
    this.#waiting.length = 0;
    for (const call of this.#calls.values()) call.abort(new DOMException("The caller has gone", "AbortError"));
  }
}

/** The ID of the call that a message cancels, if it is such a message. */
function cancelledBy(text: string): number | undefined {
  // Calls are long, and read once.
  if (text.length > 64) return undefined;
  try {
    const line: unknown = JSON.parse(text);
    return isRecord(line) && line.cancel === true && typeof line.id === "number" ? line.id : undefined;
  } catch {
    return undefined;
  }
}
