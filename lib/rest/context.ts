/** A socket taken over from HTTP: raw bytes both ways. */
export interface Upgraded {
  readonly readable: ReadableStream<Uint8Array>;
  readonly writable: WritableStream<Uint8Array>;
  /** To be returned from the function, untouched: adapters know it by identity. */
  readonly response: Response;
}

/** The status line and headers that announce an upgrade. */
export interface UpgradeInit {
  /** 101 by default; 200 where a client takes the socket without asking for it by header. */
  status?: number;
  headers?: HeadersInit;
}

/** What a runtime lends a handler; adapters pass it as second argument. */
export interface Platform {
  upgrade?(init?: UpgradeInit): Promise<Upgraded> | Upgraded;
  upgradeWebSocket?(options?: { protocol?: string }): { socket: WebSocket; response: Response };
  /**
   * Whether bodies that do not tell their length are known to be small, as those of a caller in the same process, or of a proxy that bounds them:
   * they are read as a whole, as the runtime decodes them, and only then measured. Else they are measured as they come, which takes longer.
   */
  readonly boundedBodies?: boolean;
  /** The peer's address, as the runtime words it. */
  readonly peer?: string;
  waitUntil?(promise: Promise<unknown>): void;
}

/** The last argument of every implementation function: all of the call that is not an argument. */
export interface Context<Identity = unknown> {
  readonly request: Request;
  /** `4.3.1` when the path began with `/v4.3.1`. */
  readonly version: string | undefined;
  /** The function's name in the definition. */
  readonly name: string;
  /** What the authenticator said of the caller. */
  readonly identity: Identity;
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

/** A served API: a pure function of the request and of what the runtime lends. */
export type Handler = (request: Request, platform?: Platform) => Promise<Response>;
