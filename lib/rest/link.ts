import { openChannel } from "./channel.ts";
import { type Codec, codecsOf } from "./codec.ts";
import type { Definition, Operations } from "./definition.ts";
import { type ErrorCodec, HTTPError, problem } from "./error.ts";
import type { CallOptions, ClientFunction } from "./function_types.ts";
import type { AnyFunction, Implementation } from "./implement.ts";
import type { Plan } from "./plan_types.ts";
import { readError, readResult, valueReader } from "./read_result.ts";
import { isRecord } from "./json.ts";
import { writeRequest } from "./write_request.ts";

/** What sends the requests of a linked API. A {@linkcode Handler} fits, which calls an API without a network. */
export interface Client {
  fetch(request: Request): Promise<Response>;
}

/** The functions of a linked API. */
export type Linked<D extends Operations> = { readonly [K in keyof D]: ClientFunction<D[K]> };

const DIRECT: Client = { fetch: (request) => fetch(request) };

/**
 * Makes the functions of an API elsewhere callable. The value also implements the definition, so that `handler` makes a proxy of it.
 *
 * @param base Where the API is, instead of where its definition says; without a scheme it is https
 * @param client Sends the requests: `fetch` unless told otherwise
 *
 * @example
 * ```ts
 * import { api, handler, implement, int64, link, rest } from "./mod.ts";
 * const calculator = api("calculator.example.com", { Add: rest("GET /sum?a=%v&b=%v", [int64, int64], [int64]) });
 * const serve = handler(null, implement(calculator, { Add: (a, b) => a + b }));
 * const client = link(calculator, "http://localhost", { fetch: serve });
 * console.assert(await client.Add(1n, 2n, { timeout: 1000 }) === 3n);
 * ```
 */
export function link<const D extends Operations>(
  definition: Definition<D>,
  base: string = definition.base,
  client: Client = DIRECT,
): Linked<D> & Implementation {
  const origin = (/^[a-z][a-z0-9+.-]*:\/\//i.test(base) ? base : `https://${base}`).replace(/\/+$/, "");
  const errors = definition.options.errors ?? problem;
  const codecs = codecsOf(definition.options.codecs);
  const callers = definition.plans.map((plan) => new Caller(plan, codecs, origin, client, errors));
  const served: Record<string, AnyFunction> = {};
  const linked: Record<string, unknown> = {};
  for (const caller of callers) {
    served[caller.plan.name] = (...args: unknown[]) => caller.serve(args);
    linked[caller.plan.name] = (...args: unknown[]) => caller.call(args);
  }
  // Not enumerable, so that the functions are all that is seen; a function of the same name wins.
  for (const [key, value] of Object.entries({ definition, functions: served })) {
    if (!(key in linked)) Object.defineProperty(linked, key, { value });
  }
  // Made name by name from the definition's own plans, as the type says.
  return linked as Linked<D> & Implementation;
}

/** What ends a call early: its own signal, its timeout, or both. */
function limitSignal({ signal, timeout }: CallOptions): AbortSignal | undefined {
  if (timeout === undefined) return signal;
  const limit = AbortSignal.timeout(timeout);
  return signal === undefined ? limit : AbortSignal.any([signal, limit]);
}

class Caller {
  readonly plan: Plan;
  readonly #codecs: readonly Codec[];
  readonly #base: string;
  readonly #client: Client;
  readonly #errors: ErrorCodec;
  readonly #accept: string | undefined;

  constructor(plan: Plan, codecs: readonly Codec[], base: string, client: Client, errors: ErrorCodec) {
    this.plan = plan;
    this.#codecs = codecs;
    this.#base = base;
    this.#client = client;
    this.#errors = errors;
    const { shape, contentType } = plan.result;
    this.#accept = shape === "none" || shape === "stream"
      ? undefined
      : shape === "channel"
      ? contentType
      : contentType === "text/plain"
      ? "text/plain, application/json;q=0.9"
      : contentType;
  }

  /** A call by a client: the last argument may be the options. */
  async call(given: readonly unknown[]): Promise<unknown> {
    const count = this.plan.arguments.length;
    const options = isRecord(given[count]) ? given[count] as CallOptions : {};
    const { fallible, schemas } = this.plan.result;
    if (!fallible) return await this.#send(given, options);
    try {
      const value = await this.#send(given, options);
      if (schemas.length === 0) return undefined;
      return schemas.length === 1 ? [value, undefined] : [...value as unknown[], undefined];
    } catch (error) {
      const failure = error instanceof Error ? error : new Error(String(error), { cause: error });
      return schemas.length === 0 ? failure : [...schemas.map(() => undefined), failure];
    }
  }

  /** A call by a server, for a proxy: the last argument is the context, and errors are thrown. */
  serve(given: readonly unknown[]): Promise<unknown> {
    const context = given.at(-1);
    const signal = isRecord(context) && context.signal instanceof AbortSignal ? context.signal : undefined;
    return this.#send(given.slice(0, this.plan.arguments.length), { signal });
  }

  async #send(args: readonly unknown[], options: CallOptions): Promise<unknown> {
    const { plan } = this;
    const signal = limitSignal(options);
    const request = writeRequest(plan, this.#codecs, this.#base, args, this.#accept, signal);
    if (plan.result.shape === "channel") {
      return openChannel({
        request,
        fetch: (sent) => this.#fetch(sent),
        decode: valueReader(plan),
        websocket: options.websocket,
        signal: options.signal,
      });
    }
    return await readResult(plan, this.#codecs, await this.#fetch(request));
  }

  async #fetch(request: Request): Promise<Response> {
    const response = await this.#client.fetch(request);
    if (response.ok || response.status === 101) return response;
    if (response.status === 304) throw new HTTPError(304, `Call "${this.plan.name}": nothing has changed`);
    throw await readError(response, this.#errors);
  }
}

/**
 * A client that adds a header to every request.
 *
 * @param client What sends it then: `fetch` unless told otherwise
 *
 * @example
 * ```ts
 * import { header } from "./mod.ts";
 * const client = header("Authorization", "Bearer secret");
 * ```
 */
export function header(name: string, value: string, client: Client = DIRECT): Client {
  return {
    fetch(request) {
      const headers = new Headers(request.headers);
      headers.set(name, value);
      return client.fetch(new Request(request, { headers }));
    },
  };
}

/** The linker: `API.link` is {@linkcode link}. */
export const API: { readonly link: typeof link } = { link };
