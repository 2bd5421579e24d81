import type { Authenticator } from "../auth.ts";
import type { Call } from "./call.ts";
import type { IsPlain, MakeExactness } from "./check_result.ts";
import type { Codec } from "../codecs/codec.ts";
import type { Handler, Platform, Upgraded, UpgradeInit } from "../context.ts";
import type { HeaderContext } from "../definition.ts";
import { type Endpoint, makeEndpoint } from "./endpoint.ts";
import type { HeaderValues } from "../codecs/header_value.ts";
import type { AnyFunction, Implementation, Implementations } from "../implement.ts";
import type { BodyPlan, Plan } from "../plan/plan_types.ts";
import { cutPath, pathBehind, pathOfBase } from "../route/request_path.ts";
import { plainRouter } from "../route/plain_router.ts";
import type { MakeRouter, Route } from "../route/router.ts";
import type { ReadArguments } from "./read_arguments.ts";
import type { Stack } from "../middleware/middleware_stack.ts";
import type { Schema } from "../plan/schema.ts";
import { type AnsweredCall, type ResponseWriter, responseWriter } from "./write_response.ts";
import type { Offer, ResultWriter } from "./write_result.ts";

/**
 * The parts of a server beyond JSON and text.
 *
 * @example
 * ```ts
 * import { form, multipart, type ServerParts, streams, writeChannel } from "../server.ts";
 * const parts: ServerParts = { codecs: [form, multipart], streams, channel: writeChannel };
 * ```
 */
export interface ServerParts {
  /** Finds routes; a regular expression for each does, of plain paths, unless told otherwise. */
  readonly router?: MakeRouter;
  /** More content types. */
  readonly codecs?: readonly Codec[];
  /**
   * Undoes the coding of a body (`Content-Encoding`) that may have `limit` bytes, or refuses it. Without this bodies are read as they come.
   */
  readonly decode?: (request: Request, limit: number, shape: BodyPlan["shape"]) => Request;
  /** Streams as bodies and results, and responses that functions make themselves. */
  readonly streams?: {
    read(request: Request, limit: number): ReadableStream<Uint8Array>;
    write(value: unknown, call: Call, writer: ResultWriter): Response | Promise<Response>;
    /** Takes the socket of a call over. */
    upgrade(call: Call, init?: UpgradeInit): Promise<Upgraded>;
  };
  /** Reads channels that are arguments. */
  readonly receive?: (request: Request, plan: Plan, call: Call) => AsyncIterable<unknown>;
  /** Sends channels. */
  readonly channel?: (value: unknown, call: Call, writer: ResultWriter) => Promise<Response>;
  /** Lets results write headers. */
  readonly headers?: HeaderValues;
  /** Reads arguments from elsewhere than path, query and body. */
  readonly places?: (plan: Plan, read: ReadArguments) => ReadArguments;
  /** Puts something around an operation's function when the server is made. */
  readonly around?: (plan: Plan, run: AnyFunction, codecs: readonly Codec[]) => AnyFunction;
  /** Chooses the content type of an answer, of the one it would have and others. */
  readonly negotiate?: (plan: Plan, offer: Offer, codecs: readonly Codec[]) => (call: Call) => Offer;
  /** Finds out faster which results need no cutting. */
  readonly exactness?: MakeExactness;
  /** Shortens the way of arguments and results that are plain data and fit their schemas as they are. */
  readonly quick?: {
    /** Makes the quick test of a schema, where there is one. */
    test(schema: Schema): IsPlain | undefined;
    /** Makes the test whether all arguments are plain data that fits; none where one of them has no quick test. */
    arguments(plan: Plan): ((values: readonly unknown[]) => boolean) | undefined;
    /** Makes a writer with a short way of results to a response; none where each takes the long one. */
    results(writer: ResultWriter, offer: Offer, choose: (call: Call) => Offer): ResultWriter | undefined;
    /** Makes a writer with a short way of bodies and headers to a response; none where each takes the long one. */
    responses(writer: ResponseWriter): ResponseWriter | undefined;
    /** Answers 404 as an error would be; undefined where somebody has a say in what errors look like, or is told of them. */
    unknown(responses: ResponseWriter, detail: string, call: AnsweredCall): Response | undefined;
  };
  /** Changes finished answers, one after the other; those of streams and channels excepted. */
  readonly finish?: readonly Finish[];
}

/**
 * Changes an answer whose body is there as a whole.
 *
 * @example
 * ```ts
 * import type { Finish } from "../server.ts";
 * const stamp: Finish = (_request, response) => {
 *   response.headers.set("x-served-by", "gantry");
 *   return response;
 * };
 * ```
 */
export type Finish = (request: Request, response: Response) => Response | Promise<Response>;

/**
 * Options of {@linkcode handler}.
 *
 * @example
 * ```ts
 * import { api, handler, implement, rest } from "../server.ts";
 * const options = { fallback: () => Promise.resolve(new Response("a page")), onError: console.error };
 * const serve = handler(null, implement(api("x", { Ping: rest("GET /ping") }), { Ping() {} }), options);
 * console.assert(await (await serve(new Request("http://localhost/"))).text() === "a page");
 * ```
 */
export interface HandlerOptions<State extends object = object> {
  /** Middleware around all requests. */
  use?: Stack<State>;
  /**
   * The path under which the operations are served, as `/v1`: that of each API's base by default. `""` for a server behind one that cuts the
   * path off.
   */
  prefix?: string;
  /** Asked when no route fits the path, instead of answering 404. */
  fallback?: Handler;
  /** Told of every error that goes out, before it does. Without it `console.error` tells those of 500 and above, but for 501. */
  onError?(error: unknown, context: HeaderContext & { readonly platform: Platform }): void;
}

/**
 * Serves APIs with the parts they need: see {@linkcode handler}.
 *
 * @example
 * ```ts
 * import { api, handlerWith, implement, rest, stream, streams } from "../server.ts";
 * const files = api("files.example.com", { Read: rest("GET /file", [], [stream("text/plain")]) });
 * const serve = handlerWith({ streams }, null, implement(files, { Read: () => "a file" }));
 * console.assert(await (await serve(new Request("http://localhost/file"))).text() === "a file");
 * ```
 */
export function handlerWith<Identity = unknown, State extends object = object>(
  parts: ServerParts,
  auth: Authenticator<Identity> | null,
  implementations: Implementations<NoInfer<Identity>, NoInfer<State>>,
  options: HandlerOptions<State> = {},
): Handler {
  const all = [implementations].flat() as unknown as readonly Implementation[];
  const tables = new Map<string, Route<Endpoint>[]>();
  const writers = all.map((implementation) => {
    const { definition } = implementation;
    const made = definition.options;
    const responses = responseWriter(made, auth, options, parts);
    const prefix = pathOfBase(options.prefix ?? definition.base);
    const routes = definition.plans.map((plan) => ({
      plan,
      options: made,
      value: makeEndpoint(plan, implementation, auth, responses),
    }));
    tables.set(prefix, [...tables.get(prefix) ?? [], ...routes]);
    return responses;
  });
  // The longest prefix first, which is the most specific.
  const routers = [...tables].sort(([a], [b]) => b.length - a.length)
    .map(([prefix, routes]) => ({ prefix, router: (parts.router ?? plainRouter)(routes) }));
  const [responses = responseWriter({}, auth, options, parts)] = writers;
  const serve: Handler = (request, platform = {}) => {
    const { path, query } = cutPath(request.url);
    const { method } = request;
    // The server as a whole (RFC 9110, section 9.3.7).
    const isWhole = method === "OPTIONS" && path === "/*";
    const methods: string[] = [];
    for (const { prefix, router } of routers) {
      const within = pathBehind(prefix, path);
      const match = within && router.match(method, within, query);
      if (match) return match.value(request, platform, query, match);
      if (within || isWhole) methods.push(...router.methods(isWhole ? "" : within, query, method));
    }
    if (!methods.length && options.fallback) return options.fallback(request, platform);
    return Promise.resolve(responses.unknown(path, methods, { request, platform }));
  };
  return options.use?.around(serve, responses) ?? serve;
}
