import { HTTPError } from "../error.ts";
import type { Channel } from "../plan/marker.ts";
import type { Plan } from "../plan/plan_types.ts";
import type { Platform } from "../context.ts";

/** The key under which the platform of a call has the WebSocket that carries the call. */
export const DUPLEX: unique symbol = /* @__PURE__ */ Symbol("gantry.rest.duplex");

/** The texts of values to be sent: read one by one, and let go of. */
export interface SentValues {
  next(): Promise<string | undefined>;
  release(): void;
}

/** A call over a WebSocket that carries values both ways. */
export interface DuplexCall {
  /** The values that the client sends. The WebSocket is opened when the first is asked for. */
  receive(plan: Plan): Channel<unknown>;
  /** Sends what the function yields. `describe` makes the words for an error. */
  send(values: SentValues, describe: (error: unknown) => string): Response;
}

/** The platform of such a call. */
export interface DuplexPlatform extends Platform {
  readonly [DUPLEX]?: DuplexCall;
}

/** Returns the call over a WebSocket that a platform stands for, if it does. */
export function duplexOf(platform: DuplexPlatform): DuplexCall | undefined {
  return platform[DUPLEX];
}

/**
 * The error of a WebSocket that the runtime did not give: 400 where the request has no key (RFC 6455, section 4.2.1), which some runtimes
 * throw as a fault of the program.
 */
export function upgradeError({ headers }: Request, cause: unknown): unknown {
  if (!(cause instanceof TypeError) || headers.has("sec-websocket-key")) return cause;
  return new HTTPError(400, "Open a WebSocket: the request has no Sec-WebSocket-Key", { kind: "argument", cause });
}
