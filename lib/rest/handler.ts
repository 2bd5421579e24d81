import type { Authenticator } from "./auth.ts";
import { Call } from "./call.ts";
import type { Handler, Platform } from "./context.ts";
import type { HeaderContext } from "./definition.ts";
import { findDuplicates } from "./duplicates.ts";
import { Endpoint } from "./endpoint.ts";
import { HTTPError } from "./error.ts";
import type { Implementation } from "./implement.ts";
import { DefinitionError } from "./check.ts";
import { cutPath } from "./request_path.ts";
import { fixedHeaders } from "./response_headers.ts";
import { type Route, Router } from "./router.ts";
import { ErrorWriter } from "./write_error.ts";

/** Options of {@linkcode handler}. */
export interface HandlerOptions {
  /** Asked when no route fits the path, instead of answering 404. */
  fallback?: Handler;
  /** Told of every error that goes out, before it does. */
  onError?(error: unknown, context: HeaderContext & { readonly platform: Platform }): void;
}

const NOTHING: Platform = {};

/**
 * Serves APIs: one compiled router over all of their operations. The result is a pure function of the request.
 *
 * @param auth Who may call; null lets everybody
 * @param implementations The APIs; the errors of unknown paths look like those of the first
 * @throws {DefinitionError} when operations of different APIs take the same requests
 *
 * @example
 * ```ts
 * import { api, bearer, handler, implement, int64, rest } from "./mod.ts";
 * const calculator = api("calculator.example.com", { Add: rest("GET /sum?a=%v&b=%v", [int64, int64], [int64]) });
 * const serve = handler(bearer("secret"), implement(calculator, { Add: (a, b) => a + b }));
 * console.assert((await serve(new Request("http://localhost/sum?a=1&b=2"))).status === 401);
 * ```
 */
export function handler<Identity = unknown>(
  auth: Authenticator<Identity> | null,
  implementations: Implementation<NoInfer<Identity>> | readonly Implementation<NoInfer<Identity>>[],
  options: HandlerOptions = {},
): Handler {
  const all = "definition" in implementations ? [implementations] : [...implementations];
  // What an authenticator makes, its implementations take: that is checked above, and the endpoints only pass it on.
  return new Server(auth as Authenticator<unknown> | null, all as Implementation[], options).handle;
}

class Server {
  readonly #router: Router<Endpoint>;
  readonly #options: HandlerOptions;
  readonly #errors: ErrorWriter;

  constructor(
    auth: Authenticator<unknown> | null,
    implementations: readonly Implementation[],
    options: HandlerOptions,
  ) {
    this.#options = options;
    const routes = implementations.flatMap((implementation) => {
      const { plans, options: { versioned, aliases } } = implementation.definition;
      return plans.map((plan): Route<Endpoint> => ({
        plan,
        versioned: versioned === true,
        aliases: aliases ?? {},
        value: new Endpoint(plan, implementation, auth, options),
      }));
    });
    const problems = implementations.length > 1 ? findDuplicates(routes.map((route) => route.plan)) : [];
    if (problems.length > 0) throw new DefinitionError(problems);
    this.#router = new Router(routes);
    const first = implementations[0]?.definition.options;
    this.#errors = new ErrorWriter(first?.errors, fixedHeaders(first?.headers), auth, options);
  }

  readonly handle: Handler = (request, platform = NOTHING) => {
    const { path, query } = cutPath(request.url);
    const match = this.#router.match(request.method, path, query);
    if (match === undefined) return this.#unknown(request, platform, path, query);
    const endpoint = match.value;
    return endpoint.run(new Call(request, platform, endpoint.plan.name, match.version, query, match.captures));
  };

  #unknown(request: Request, platform: Platform, path: string, query: string): Promise<Response> {
    const methods = this.#router.methods(path, query);
    if (methods.length === 0) {
      if (this.#options.fallback !== undefined) return this.#options.fallback(request, platform);
      const error = new HTTPError(404, `Find "${path}": there is nothing`, { kind: "route" });
      return Promise.resolve(this.#errors.write(error, { request, platform }));
    }
    const allow = methods.join(", ");
    if (request.method === "OPTIONS") {
      return Promise.resolve(this.#errors.writeOptions(allow, { request, platform }));
    }
    const message = `Send ${request.method} to "${path}": only ${allow} is known there`;
    const error = new HTTPError(405, message, { kind: "method", headers: { allow } });
    return Promise.resolve(this.#errors.write(error, { request, platform }));
  }
}
