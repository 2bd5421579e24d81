import type { Client } from "../../rest/mod.ts";

/**
 * A way to one server. `fetch` sends requests; the other two carry bytes both ways, and one of them or both may be missing.
 *
 * @example
 * ```ts
 * import { type Connection, openEngine } from "../mod.ts";
 * const offline: Connection = { fetch: () => Promise.reject(new TypeError("no network")), close: () => Promise.resolve() };
 * await openEngine(offline).catch((error) => console.assert(error.code === "unreachable"));
 * ```
 */
export interface Connection extends Pick<Client, "fetch" | "openWebSocket"> {
  /** Sends a request with `Upgrade: tcp` and takes the connection over. Answers of failure have a body as those of `fetch` do. */
  hijack?(request: Request): Promise<Hijacked>;
  /** Closes what is open. */
  close(): Promise<void>;
}

/** A connection that was taken over: the answer's body is what the server sends. */
export interface Hijacked {
  readonly response: Response;
  /** Bytes for the server; closing it closes this half only. Absent where the answer is a failure. */
  readonly input?: WritableStream<Uint8Array>;
}
