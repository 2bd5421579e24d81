import { HTTPError } from "../error.ts";
import type { Middleware, Passing } from "./middleware_stack.ts";

/**
 * Options of {@linkcode rateLimit}.
 *
 * @example
 * ```ts
 * import type { RateLimitOptions } from "../mod.ts";
 * const byToken: RateLimitOptions = {
 *   limit: 1000,
 *   window: 3600_000,
 *   key: ({ request }) => request.headers.get("authorization") ?? "nobody",
 * };
 * ```
 */
export interface RateLimitOptions {
  /** How many requests a caller may send at once, and in each window. */
  readonly limit: number;
  /** Milliseconds in which `limit` requests are granted again, evenly. */
  readonly window: number;
  /**
   * Tells callers apart; those of `undefined` are not limited. By default the peer's address: behind a proxy that is the proxy's. Where the
   * runtime tells none, as on a Unix socket, all callers share one limit.
   */
  readonly key?: (call: Passing) => string | undefined;
  /** How many callers are remembered; of more, the one seen longest ago is forgotten. 100,000 by default. */
  readonly most?: number;
  /** The time in milliseconds. */
  readonly now?: () => number;
}

/**
 * Answers 429 with `Retry-After` to callers that send more than `limit` requests in `window`: each request adds to the time that its caller has
 * used up, which passes by itself (the generic cell rate algorithm). It counts within one process.
 *
 * @throws {RangeError} if limit, window or most is not above zero
 *
 * @example
 * ```ts
 * import { api, handler, implement, rateLimit, rest, middlewareStack } from "../mod.ts";
 * const use = middlewareStack().use(rateLimit({ limit: 2, window: 60_000 }));
 * const serve = handler(null, implement(api("x", { Ping: rest("GET /ping") }), { Ping() {} }), { use });
 * const statuses = [];
 * for (let i = 0; i < 3; i++) statuses.push((await serve(new Request("http://localhost/ping"))).status);
 * console.assert(statuses.join() === "204,204,429");
 * ```
 */
export function rateLimit(
  { limit, window, key = ({ platform }) => platform.peer ?? "", most = 100_000, now = () => performance.now() }:
    RateLimitOptions,
): Middleware {
  for (const [name, value] of Object.entries({ limit, window, most })) {
    if (!(value > 0)) throw new RangeError(`Limit the rate: "${name}" is ${value}, not above zero`);
  }
  const cost = window / limit;
  /** When each caller will have all of its requests again; the one seen longest ago first. */
  const full = new Map<string, number>();
  return (call, next) => {
    const caller = key(call);
    if (caller === undefined) return next();
    const time = now();
    const until = Math.max(full.get(caller) ?? 0, time) + cost;
    const wait = until - window - time;
    // Fractions of a request that rounding leaves do not refuse one.
    if (wait > cost * 1e-6) {
      throw new HTTPError(429, "Limit the rate: too many requests", {
        headers: { "retry-after": String(Math.ceil(wait / 1000)) },
      });
    }
    full.delete(caller);
    full.set(caller, until);
    if (full.size > most) full.delete(full.keys().next().value!);
    return next();
  };
}
