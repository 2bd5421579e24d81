import { states } from "./state.ts";
import type { Handler, Platform } from "../context.ts";

/**
 * A request on its way through middleware.
 *
 * @example
 * ```ts
 * import type { Passing } from "../mod.ts";
 * const words = ({ request, platform, state }: Passing<{ user: string }>) =>
 *   `${state.user} at ${platform.peer} asks for ${request.url}`;
 * const request = new Request("http://localhost/");
 * console.assert(words({ request, platform: {}, state: { user: "ann" } }).startsWith("ann at undefined"));
 * ```
 */
export interface Passing<State extends object = object> {
  readonly request: Request;
  readonly platform: Platform;
  /** The additions of the middleware before. */
  readonly state: State;
}

/**
 * Code around all requests of a handler, those that no operation takes too. It returns the answer of `next`, or one of its own, or throws an
 * `HTTPError`, which is answered as an operation's. The object that it gives `next` is added to the `state` of the context that functions get, and of the
 * middleware behind it.
 *
 * @example
 * ```ts
 * import type { Middleware } from "../mod.ts";
 * const timed: Middleware<object, { began: number }> = async (_call, next) => {
 *   const began = performance.now();
 *   const response = await next({ began });
 *   console.log(response.status, performance.now() - began);
 *   return response;
 * };
 * ```
 */
export type Middleware<Needs extends object = object, Adds extends object = object> = (
  call: Passing<Needs>,
  next: (...adds: object extends Adds ? [adds?: Adds] : [adds: Adds]) => Promise<Response>,
) => Response | Promise<Response>;

/**
 * Middleware in order, the first one outermost, for the option `use` of `handler`. Each may need what those before it add.
 *
 * @example
 * ```ts
 * import { api, handler, implement, rest, middlewareStack } from "../mod.ts";
 * import { z } from "npm:zod@4.6.7";
 * const named = middlewareStack()
 *   .use<{ name: string }>(({ request }, next) => next({ name: request.headers.get("x-name") ?? "nobody" }))
 *   .use<{ greeting: string }>(({ state }, next) => next({ greeting: `hello ${state.name}` }));
 * const greeter = api("x", { Greet: rest("GET /", [], [z.string()]) });
 * const serve = handler(null, implement(greeter, { Greet: ({ state }) => state.greeting }, null, named), { use: named });
 * const response = await serve(new Request("http://localhost/", { headers: { "x-name": "ann" } }));
 * console.assert(await response.text() === "hello ann");
 * ```
 */
export interface Stack<State extends object = object> {
  /** Adds a middleware behind those that are there, and returns both together: this middlewareStack stays as it is. */
  use<Adds extends object = object>(middleware: Middleware<State, Adds>): Stack<State & Adds>;
  /**
   * Puts the middleware around a handler.
   *
   * @param responses Makes the answer of an error that a middleware throws
   */
  around(serve: Handler, responses: ErrorAnswers): Handler;
}

/** Makes answers of errors. */
interface ErrorAnswers {
  error(error: unknown, call: Omit<Passing, "state">): Response;
}

/** A middleware whose type is no longer of use. */
type AnyMiddleware = (call: Passing, next: (adds?: object) => Promise<Response>) => Response | Promise<Response>;

/**
 * Begins a {@linkcode Stack} of middleware.
 *
 * @example
 * ```ts
 * import { guardCSRF, accessLog, rateLimit, middlewareStack } from "../mod.ts";
 * const usual = middlewareStack().use(accessLog()).use(rateLimit({ limit: 100, window: 60_000 })).use(guardCSRF());
 * ```
 */
export function middlewareStack(): Stack {
  return stackOf([]);
}

function stackOf<State extends object>(list: readonly AnyMiddleware[]): Stack<State> {
  return {
    // The stack's type says what those before have added, which is what this one is given.
    use: (middleware) => stackOf([...list, middleware as unknown as AnyMiddleware]),
    around: (serve, responses) =>
      list.reduceRight<Handler>((inner, middleware, index) => async (request, platform = {}) => {
        const call = { request, platform };
        try {
          const response: Response | undefined = await middleware(
            { ...call, state: states.get(request) ?? {} },
            (adds) => {
              if (adds) states.set(request, { ...states.get(request), ...adds });
              return inner(request, platform);
            },
          );
          if (response) return response;
          const name = middleware.name && ` "${middleware.name}"`;
          throw new TypeError(`Run middleware ${index + 1}${name}: it returned no response: return that of next()`);
        } catch (error) {
          return responses.error(error, call);
        }
      }, serve),
  };
}
