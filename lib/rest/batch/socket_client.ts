import {
  type AnswerLine,
  callText,
  isBatchable,
  PATH,
  readLine,
  responseOf,
  sharedHeaders,
  SOCKET,
} from "./batch_lines.ts";
import { BEAT, BEAT_EVERY } from "../channels/flow.ts";
import { type Client, DIRECT } from "../call/core_client.ts";
import { connect } from "../channels/receive_values.ts";

/**
 * Options of {@linkcode socketCalls}.
 *
 * @example
 * ```ts
 * import { socketCalls, type SocketCallsOptions } from "../batch.ts";
 * const brief: SocketCallsOptions = { path: "/v1/batch", calls: 20, idle: 1000 };
 * const client = socketCalls({ fetch }, brief);
 * client.close();
 * ```
 */
export interface SocketCallsOptions {
  /** The path at which the server takes the WebSocket; `/batch` by default. */
  readonly path?: string;
  /** The most calls that are under way; 50 by default. Further ones wait for an answer. */
  readonly calls?: number;
  /** The most bytes of a call's body; 512 Ki by default. A call that has more travels over HTTP. */
  readonly bytes?: number;
  /** Milliseconds without a call after which the WebSocket is closed; 10,000 by default. The next call opens another. */
  readonly idle?: number;
  /** Milliseconds for which calls travel over HTTP when no WebSocket could be opened; 10,000 by default. */
  readonly rest?: number;
}

/**
 * A client that can be closed.
 *
 * @example
 * ```ts
 * import { type SocketClient, socketCalls } from "../batch.ts";
 * const client: SocketClient = socketCalls();
 * client.close();
 * ```
 */
export interface SocketClient extends Client {
  /** Closes its WebSockets; calls that are under way fail. */
  close(): void;
}

/**
 * A client whose calls travel over one WebSocket, to a server that has {@linkcode answerSocketCalls}: each is a message, and so is each answer,
 * in the order in which they are ready. Calls with other credentials go over another. Channels, forms with files, bodies of bytes, and calls with
 * headers that batches know nothing of travel over HTTP, and so does everything where no WebSocket can be opened. A call that is aborted is
 * cancelled at the server. When the connection breaks, calls that were sent fail, as they may have run: nothing is repeated, and the next call
 * opens another WebSocket.
 *
 * @param client The sender of what travels over HTTP, and the opener of WebSockets: the platform's own unless told otherwise
 *
 * @example
 * ```ts
 * import { api, int64, link, rest } from "../mod.ts";
 * import { socketCalls } from "../batch.ts";
 * const stock = api("stock.example.com", { Count: rest("GET /count/{of=%v}", [int64], [int64]) });
 * const client = socketCalls({
 *   fetch: () => Promise.resolve(new Response("7")),
 *   openWebSocket() {
 *     throw new Error("There are none here");
 *   },
 * });
 * console.assert(await link(stock, "http://localhost", client).Count(1n) === 7n);
 * ```
 */
export function socketCalls(client: Client = DIRECT, options: SocketCallsOptions = {}): SocketClient {
  const { path = PATH, calls = 50, bytes = 1 << 19, idle = 10_000, rest = 10_000 } = options;
  const sessions = new Map<string, Session>();
  return {
    ...client,
    async fetch(request) {
      const shared = sharedHeaders(request);
      const isPlain = [...shared.keys()].every((name) => name === "authorization");
      if (!isPlain || !isBatchable(request)) return await client.fetch(request);
      const hasBody = request.method !== "GET" && request.method !== "HEAD";
      const body = new Uint8Array(hasBody ? await request.clone().arrayBuffer() : new ArrayBuffer(0));
      request.signal.throwIfAborted();
      if (body.length > bytes) return await client.fetch(request);
      const url = new URL(path, request.url);
      const key = url.origin + JSON.stringify([...shared]);
      let session = sessions.get(key);
      if (!session) {
        const upgrade = new Request(url, { headers: shared });
        const forget = () => sessions.delete(key);
        sessions.set(key, session = new Session(client, upgrade, { calls, idle, rest, forget }));
      }
      return await session.call(request, body);
    },
    close() {
      for (const session of sessions.values()) session.close();
    },
  };
}

interface PendingCall {
  readonly request: Request;
  readonly body: Uint8Array;
  resolve(response: Response | Promise<Response>): void;
  reject(error: unknown): void;
}

interface SessionOptions {
  readonly calls: number;
  readonly idle: number;
  readonly rest: number;
  /** Called when there is nothing to keep it for. */
  forget(): void;
}

/** The calls of one credential to one server. */
class Session {
  readonly #client: Client;
  readonly #upgrade: Request;
  readonly #options: SessionOptions;
  readonly #waiting = new Set<PendingCall>();
  readonly #sent = new Map<number, PendingCall>();
  #socket: WebSocket | undefined;
  #isOpen = false;
  #id = 0;
  #restUntil = 0;
  #beats: ReturnType<typeof setInterval> | undefined;
  #idle: ReturnType<typeof setTimeout> | undefined;

  constructor(client: Client, upgrade: Request, options: SessionOptions) {
    this.#client = client;
    this.#upgrade = upgrade;
    this.#options = options;
  }

  call(request: Request, body: Uint8Array): Promise<Response> {
    if (performance.now() < this.#restUntil) return this.#client.fetch(request);
    return new Promise((resolve, reject) => {
      const call: PendingCall = { request, body, resolve, reject };
      this.#waiting.add(call);
      request.signal.addEventListener("abort", () => this.#cancel(call), { once: true });
      this.#sendWaiting();
    });
  }

  close(): void {
    this.#socket?.close();
    this.#finish("closed by its client");
  }

  #sendWaiting(): void {
    clearTimeout(this.#idle);
    if (this.#waiting.size > 0 && !this.#socket) this.#open();
    if (!this.#isOpen) return;
    for (const call of this.#waiting) {
      if (this.#sent.size >= this.#options.calls) return;
      this.#waiting.delete(call);
      const id = this.#id++;
      this.#sent.set(id, call);
      this.#socket!.send(callText(id, call.request, call.body));
    }
    if (this.#sent.size === 0) this.#idle = setTimeout(() => this.close(), this.#options.idle);
  }

  #cancel(call: PendingCall): void {
    call.reject(call.request.signal.reason);
    if (this.#waiting.delete(call)) return;
    for (const [id, sent] of this.#sent) {
      if (sent !== call) continue;
      this.#sent.delete(id);
      if (this.#socket?.readyState === 1) this.#socket.send(JSON.stringify({ id, cancel: true }));
      return this.#sendWaiting();
    }
  }

  #open(): void {
    let socket: WebSocket;
    try {
      const request = this.#client.prepare?.(this.#upgrade) ?? this.#upgrade;
      socket = (this.#client.openWebSocket ?? connect)(request, [SOCKET]);
    } catch {
      return this.#finish("it cannot be opened");
    }
    this.#socket = socket;
    socket.addEventListener("open", () => {
      if (this.#socket !== socket) return socket.close();
      if (socket.protocol !== SOCKET) {
        socket.close();
        return this.#finish("the server takes no calls so");
      }
      this.#isOpen = true;
      socket.send(BEAT);
      this.#beats = setInterval(() => socket.readyState === 1 && socket.send(BEAT), BEAT_EVERY);
      this.#sendWaiting();
    });
    socket.addEventListener("message", ({ data }) => this.#socket === socket && this.#take(data));
    socket.addEventListener("error", () => {});
    socket.addEventListener("close", ({ code, reason }) => {
      if (this.#socket === socket) this.#finish(`closed with ${code}${reason && `: ${reason}`}`);
    });
  }

  #take(data: unknown): void {
    // Its fields are looked at here and when the response is made.
    const line = typeof data === "string" ? readLine(data) as AnswerLine | undefined : undefined;
    let response: Response | undefined;
    try {
      response = line && responseOf(line);
    } catch { /* A status that is none. */ }
    if (!line || !response || typeof line.id !== "number") {
      this.#socket?.close();
      return this.#finish("a message is no answer");
    }
    // One that was cancelled may have been answered before the server knew.
    this.#sent.get(line.id)?.resolve(response);
    this.#sent.delete(line.id);
    this.#sendWaiting();
  }

  /** Ends the WebSocket: what was sent fails, as it may have run, and what was not travels over HTTP. */
  #finish(why: string): void {
    clearInterval(this.#beats);
    clearTimeout(this.#idle);
    if (!this.#isOpen) this.#restUntil = performance.now() + this.#options.rest;
    else this.#options.forget();
    this.#isOpen = false;
    this.#socket = undefined;
    const sent = [...this.#sent.values()];
    const waiting = [...this.#waiting];
    this.#sent.clear();
    this.#waiting.clear();
    for (const { reject } of sent) {
      reject(new Error(`Call over a WebSocket: ${why} before the answer, and the call may have run`));
    }
    for (const { request, resolve } of waiting) resolve(this.#client.fetch(request));
  }
}
