import type { Authenticator } from "./auth.ts";
import { Call } from "./call.ts";
import type { Codec } from "./codec.ts";
import type { Handler, Platform } from "./context.ts";
import type { HeaderContext } from "./definition.ts";
import { Endpoint } from "./endpoint.ts";
import type { HeaderValues } from "./header_value.ts";
import type { Implementation } from "./implement.ts";
import { cutPath } from "./request_path.ts";
import { PatternRouter } from "./pattern_router.ts";
import type { MakeRouter, Route } from "./router.ts";
import { ResponseWriter } from "./write_response.ts";
import type { ResultWriter } from "./write_result.ts";

/** What a server can do beyond JSON and text. */
export interface ServerParts {
  /** Finds routes; a regular expression for each does, unless told otherwise. */
  readonly router?: MakeRouter;
  /** More content types. */
  readonly codecs?: readonly Codec[];
  /** Streams as bodies and results, and responses that functions make themselves. */
  readonly streams?: {
    read(request: Request, limit: number): ReadableStream<Uint8Array>;
    write(value: unknown, call: Call, writer: ResultWriter): Response | Promise<Response>;
  };
  /** Sends channels. */
  readonly channel?: (value: unknown, call: Call, writer: ResultWriter) => Promise<Response>;
  /** Lets results write headers. */
  readonly headers?: HeaderValues;
  /** Changes finished answers, one after the other; those of streams and channels excepted. */
  readonly finish?: readonly Finish[];
}

/** Changes an answer whose body is there as a whole. */
export type Finish = (request: Request, response: Response) => Response | Promise<Response>;

/** Options of {@linkcode handler}. */
export interface HandlerOptions {
  /** Asked when no route fits the path, instead of answering 404. */
  fallback?: Handler;
  /** Told of every error that goes out, before it does. */
  onError?(error: unknown, context: HeaderContext & { readonly platform: Platform }): void;
}

const NOTHING: Platform = {};

/** Serves APIs with the parts they need: see {@linkcode handler}. */
export function handlerWith<Identity = unknown>(
  parts: ServerParts,
  auth: Authenticator<Identity> | null,
  implementations: Implementation<NoInfer<Identity>> | readonly Implementation<NoInfer<Identity>>[],
  options: HandlerOptions = {},
): Handler {
  // What an authenticator makes, its implementations take: that is checked above, and the endpoints only pass it on.
  const checked = auth as Authenticator<unknown> | null;
  const all = ("definition" in implementations ? [implementations] : implementations) as readonly Implementation[];
  const writers = all.map(({ definition }) => new ResponseWriter(definition.options, checked, options, parts));
  const routes = all.flatMap((implementation, index) => {
    const { plans, options: { versioned, aliases } } = implementation.definition;
    return plans.map((plan): Route<Endpoint> => ({
      plan,
      versioned,
      aliases,
      value: new Endpoint(plan, implementation, checked, writers[index]),
    }));
  });
  const router = parts.router?.(routes) ?? new PatternRouter(routes);
  const [responses = new ResponseWriter({}, checked, options, parts)] = writers;
  return (request, platform = NOTHING) => {
    const { path, query } = cutPath(request.url);
    const match = router.match(request.method, path, query);
    if (match) {
      const endpoint = match.value;
      return endpoint.run(new Call(request, platform, endpoint.plan.name, match.version, query, match.captures));
    }
    const methods = router.methods(path, query);
    if (!methods.length && options.fallback) return options.fallback(request, platform);
    return Promise.resolve(responses.unknown(path, methods, { request, platform }));
  };
}
