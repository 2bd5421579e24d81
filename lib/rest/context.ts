/**
 * A socket taken over from HTTP: raw bytes both ways.
 *
 * @example
 * ```ts
 * import { api, handler, implement, rest, stream, type Upgraded } from "./mod.ts";
 * const echo = ({ readable, writable, response }: Upgraded) => {
 *   readable.pipeTo(writable).catch(() => {});
 *   return response;
 * };
 * const shell = api("x", { Echo: rest("POST /echo", [], [stream()]) });
 * const serve = handler(null, implement(shell, { Echo: async (context) => echo(await context.upgrade()) }));
 * // This platform has no sockets to give.
 * console.assert((await serve(new Request("http://localhost/echo", { method: "POST" }))).status === 501);
 * ```
 */
export interface Upgraded {
  readonly readable: ReadableStream<Uint8Array>;
  readonly writable: WritableStream<Uint8Array>;
  /** Whether a write is done only when its bytes are needed no more: they may be written over then, or freed. */
  readonly handsBack?: boolean;
  /** To be returned from the function, untouched: adapters know it by identity. */
  readonly response: Response;
}

/**
 * The status line and headers that announce an upgrade.
 *
 * @example
 * ```ts
 * import type { UpgradeInit } from "./mod.ts";
 * const init: UpgradeInit = { status: 101, headers: { connection: "Upgrade", upgrade: "tcp" } };
 * ```
 */
export interface UpgradeInit {
  /** 101 by default; 200 where a client takes the socket without asking for it by header. */
  status?: number;
  headers?: HeadersInit;
}

/**
 * The facilities of a runtime for a handler; adapters pass them as second argument.
 *
 * @example
 * ```ts
 * import { api, handler, implement, type Platform, rest } from "./mod.ts";
 * import { z } from "npm:zod@4.6.7";
 * const mirror = api("mirror.example.com", { Who: rest("GET /who", [], [z.string()]) });
 * const serve = handler(null, implement(mirror, { Who: ({ platform }) => platform.peer ?? "nobody" }));
 * const platform: Platform = { peer: "192.0.2.7" };
 * console.assert(await (await serve(new Request("http://localhost/who"), platform)).text() === "192.0.2.7");
 * ```
 */
export interface Platform {
  upgrade?(init?: UpgradeInit): Promise<Upgraded> | Upgraded;
  upgradeWebSocket?(options?: { protocol?: string }): { socket: WebSocket; response: Response };
  /**
   * Whether bodies that do not tell their length are known to be small, as those of a caller in the same process, or of a proxy that bounds them:
   * they are read as a whole, as the runtime decodes them, and only then measured. Else they are measured as they come, which takes longer.
   */
  readonly boundedBodies?: boolean;
  /**
   * Milliseconds after which a WebSocket's peer that has told that it is there, as our clients do every 20 seconds, and then says nothing is taken
   * for gone; 180,000 by default.
   */
  readonly socketPatience?: number;
  /** The peer's address, as the runtime words it. */
  readonly peer?: string;
  waitUntil?(promise: Promise<unknown>): void;
  /**
   * Tells that the answer to this request is right for the same request again while `isCurrent` says so; `fresh` makes the values of headers, by
   * their names in lower case, that are others each time. Where the runtime keeps answers it sends them then without another call.
   */
  keepWhile?(isCurrent: () => boolean, fresh?: Readonly<Record<string, () => string>>): void;
  /** Has a function called whenever the answer to this request is sent again, if it is. */
  onReuse?(tell: () => void): void;
}

/**
 * The last argument of every implementation function: all of the call that is not an argument.
 *
 * @example
 * ```ts
 * import { api, type Context, handler, implement, rest } from "./mod.ts";
 * import { z } from "npm:zod@4.6.7";
 * const mirror = api("mirror.example.com", { Name: rest("GET /name", [], [z.string()]) });
 * const describe = (context: Context) => `${context.name} of ${new URL(context.request.url).host}`;
 * const serve = handler(null, implement(mirror, { Name: (context) => describe(context) }));
 * console.assert(await (await serve(new Request("http://localhost/name"))).text() === "Name of localhost");
 * ```
 */
export interface Context<Identity = unknown, State extends object = object> {
  readonly request: Request;
  /** `4.3.1` when the path began with `/v4.3.1`. */
  readonly version: string | undefined;
  /** The function's name in the definition. */
  readonly name: string;
  /** The identity that the authenticator returned for the caller. */
  readonly identity: Identity;
  /** The additions of the handler's middleware. */
  readonly state: State;
  /** Aborts when the peer goes away or the response's body is cancelled. */
  readonly signal: AbortSignal;
  /** Added to the response. */
  readonly headers: Headers;
  readonly platform: Platform;
  /**
   * Takes the socket over.
   *
   * @throws {HTTPError} 501 where the runtime cannot
   */
  upgrade(init?: UpgradeInit): Promise<Upgraded>;
}

/**
 * A served API: a pure function of the request and of what the runtime lends.
 *
 * @example
 * ```ts
 * import type { Handler } from "./mod.ts";
 * const logged = (serve: Handler): Handler => async (request, platform) => {
 *   const response = await serve(request, platform);
 *   console.log(request.method, request.url, response.status);
 *   return response;
 * };
 * ```
 */
export type Handler = (request: Request, platform?: Platform) => Promise<Response>;
