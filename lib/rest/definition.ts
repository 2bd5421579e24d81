import type { Codec } from "./codecs/codec.ts";
import type { CookieOptions } from "./headers/cookies.ts";
import type { ErrorCodec } from "./error.ts";
import type { DeclaredErrors, ErrorFit, ErrorSchemas, NoErrors } from "./plan/error_types.ts";
import type { Plan } from "./plan/plan_types.ts";
import type { Schema } from "./plan/schema.ts";
import type { StreamView } from "./plan/stream_view.ts";
import type { CheckTag, PlacedArguments, PlacedResults } from "./plan/tag_types.ts";

/**
 * The options of an operation that a tag cannot express.
 *
 * @example
 * ```ts
 * import { api, handler, implement, rest, type RestOptions } from "./mod.ts";
 * const created: RestOptions = { status: 201, description: "Makes another one." };
 * const serve = handler(null, implement(api("x", { Make: rest("POST /things", [], [], created) }), { Make() {} }));
 * console.assert((await serve(new Request("http://localhost/things", { method: "POST" }))).status === 201);
 * ```
 */
export interface RestOptions<E extends ErrorSchemas = ErrorSchemas> {
  /** The status of success. */
  status?: number;
  /**
   * Which versions in the path the operation takes, as in `"<4"` or `">=4.2"`. A path without a version fits any: of several operations that
   * differ in this only, it reaches the one defined first.
   */
  versions?: string;
  /** Query keys that must be there for the route to fit. */
  present?: readonly string[];
  /** `as-tagged` reads and writes what the tag says, whatever `Content-Type` and `Accept` say. */
  body?: "as-tagged";
  /** The largest body, in bytes: a stream's too. */
  limit?: number;
  /**
   * Sends results as the function returns them, for hot operations whose results are made by typed code. Otherwise they are checked against
   * their schemas, and fields that these do not have are left out.
   */
  trusted?: boolean;
  /** The errors that the operation declares: the schemas of their bodies, by status or by their name in the tag. */
  errors?: E;
  /** The attributes of cookies that its results set, by name. */
  cookies?: Readonly<Record<string, CookieOptions>>;
  /** How a page shows the bytes of a {@linkcode stream} as they come; without it, as a body to look at and to save. */
  view?: StreamView;
  description?: string;
}

/**
 * One operation: a tag and the schemas of its arguments and results.
 *
 * @example
 * ```ts
 * import { int64, type Operation, rest } from "./mod.ts";
 * const square: Operation<readonly [typeof int64], readonly [typeof int64]> = rest("GET /square?n=%v", [int64], [int64]);
 * console.assert(square.args[0] === int64);
 * ```
 */
export interface Operation<
  A extends readonly Schema[] = readonly Schema[],
  R extends readonly Schema[] = readonly Schema[],
  E = NoErrors,
> extends Tagged {
  readonly args: A;
  readonly results: R;
  /** Carries the type of its declared errors only. */
  readonly fails?: E;
}

/**
 * Any {@linkcode Operation}. Its schemas are left out on purpose: named here, they would be what the compiler takes for a list
 * left out in a call of {@linkcode rest} within {@linkcode api}, instead of the empty list.
 *
 * @example
 * ```ts
 * import { rest, type Tagged } from "./mod.ts";
 * const ping: Tagged = rest("GET /ping", [], [], { status: 200 });
 * console.assert(ping.options.status === 200);
 * ```
 */
export interface Tagged {
  readonly tag: string;
  readonly options: RestOptions;
}

/**
 * Operations by the name of their function, some of them in namespaces.
 *
 * @example
 * ```ts
 * import { api, type Operations, rest } from "./mod.ts";
 * const define = (operations: Operations) => api("x", operations);
 * console.assert(define({ Ping: rest("GET /ping") }).plans.length === 1);
 * ```
 */
export interface Operations {
  readonly [name: string]: Tagged | Namespace;
}

/**
 * Operations under a common name.
 *
 * @example
 * ```ts
 * import { namespace, type Namespace, rest } from "./mod.ts";
 * const orders: Namespace = namespace({ Count: rest("GET /orders/count") });
 * console.assert("Count" in orders.operations);
 * ```
 */
export interface Namespace {
  readonly operations: Operations;
}

/**
 * Puts operations under a common name: functions and clients are nested the same way. Their tags hold whole paths.
 *
 * @example
 * ```ts
 * import { api, handler, implement, int64, link, namespace, rest } from "./mod.ts";
 *
 * const shop = api("shop.example.com", {
 *   Orders: namespace({ Count: rest("GET /orders/count", [], [int64]) }),
 * });
 * const serve = handler(null, implement(shop, { Orders: { Count: () => 7n } }));
 * console.assert(await link(shop, "http://localhost", { fetch: serve }).Orders.Count() === 7n);
 * ```
 */
export function namespace<const D extends Operations>(operations: D): { readonly operations: D } {
  return { operations };
}

/** All operations with their names; those within a namespace have its name and a dot before their own. */
export const flatten = (operations: Operations, prefix = ""): [name: string, operation: Operation][] =>
  Object.entries(operations).flatMap(([name, one]) =>
    "operations" in one
      ? flatten(one.operations, `${prefix}${name}.`)
      // Only `rest` makes these; its schemas are left out of the type for inference's sake.
      : [[prefix + name, one as Operation]]
  );

/**
 * Describes one operation: `METHOD(CONTENT_TYPE) PATH (ARGUMENT_RULES) RESULT_RULES ERRORS`.
 *
 * @param tag Where the arguments and results stand in HTTP
 * @param args A schema for each argument
 * @param results A schema for each result
 *
 * @example
 * ```ts
 * import { int64, rest } from "./mod.ts";
 * const add = rest("GET /sum?a=%v&b=%v", [int64, int64], [int64]);
 * ```
 */
export function rest<
  const T extends string,
  const A extends readonly Schema[] = readonly [],
  const R extends readonly Schema[] = readonly [],
  const E extends ErrorSchemas = NoErrors,
>(
  tag: T & CheckTag<T, A, R> & ErrorFit<T, E>,
  args?: A,
  results?: R,
  options: RestOptions<E> = {},
): Operation<PlacedArguments<T, A>, PlacedResults<T, R>, DeclaredErrors<T, E>> {
  const made: Operation = { tag, args: args ?? [], results: results ?? [], options };
  // Left out, the lists are empty, which is what A and R then default to; the tag only adds to their types.
  return made as unknown as Operation<PlacedArguments<T, A>, PlacedResults<T, R>, DeclaredErrors<T, E>>;
}

/**
 * Facts of an API as a whole.
 *
 * @example
 * ```ts
 * import { api, type APIOptions, handler, implement, rest } from "./mod.ts";
 * const options: APIOptions = { title: "Ping", versioned: true, headers: { server: "ping" } };
 * const serve = handler(null, implement(api("x", { Ping: rest("GET /ping") }, options), { Ping() {} }));
 * console.assert((await serve(new Request("http://localhost/v2/ping"))).headers.get("server") === "ping");
 * ```
 */
export interface APIOptions {
  title?: string;
  /** Lets every path begin with a version, `/v[0-9][0-9A-Za-z.-]*`, which the context then tells. */
  versioned?: boolean;
  /** Other spellings of the first literal segment, as in `{engine: ["libpod"]}`. */
  aliases?: Readonly<Record<string, readonly string[]>>;
  /** How errors look on the wire; RFC 9457 problem details by default. */
  errors?: ErrorCodec;
  query?: {
    /** Takes query keys in any case. */
    ignoreCase?: boolean;
    /** Takes `?name=` as if `name` were not there. */
    emptyIsAbsent?: boolean;
  };
  /** Codecs for content types the transport does not know, or instead of its own. */
  codecs?: readonly Codec[];
  /** The largest body of an operation that does not say, in bytes; 4 MiB by default. */
  limit?: number;
  /** The largest stream that an operation that does not say is sent, in bytes; 1 GiB by default, and none is too large for `Infinity`. */
  streamLimit?: number;
  /** Whether operations that do not say are `trusted`: their results go out unchecked. */
  trusted?: boolean;
  /** Set on every response, errors too. */
  headers?: HeadersInit | ((context: HeaderContext) => HeadersInit);
}

/**
 * The facts about a call when the headers of an API are made.
 *
 * @example
 * ```ts
 * import { type APIOptions, type HeaderContext } from "./mod.ts";
 * const headers = ({ name = "none", version = "none" }: HeaderContext) => ({ "x-operation": `${name} of ${version}` });
 * const options: APIOptions = { headers };
 * ```
 */
export interface HeaderContext {
  readonly request: Request;
  readonly name?: string;
  readonly version?: string;
}

/**
 * An API: where it is, and its operations. Servers, clients and documents are all made from it.
 *
 * @example
 * ```ts
 * import { api, type Definition, rest } from "./mod.ts";
 * const tags = ({ plans }: Definition) => plans.map(({ name, tag }) => `${name}: ${tag}`);
 * console.assert(tags(api("x", { Ping: rest("GET /ping") }))[0] === "Ping: GET /ping");
 * ```
 */
export interface Definition<D extends Operations = Operations> {
  /** The address at which a client finds the API; without a scheme it is https. */
  readonly base: string;
  readonly operations: D;
  readonly options: APIOptions;
  /** The operations, parsed. */
  readonly plans: readonly Plan[];
}
