import type { Context } from "../context.ts";
import type { MARKER, Marker } from "./marker.ts";
import type { Answer, ClientFailure, NoErrors, ServerFailure } from "./error_types.ts";
import type { Input, Output, Schema } from "./schema.ts";

/**
 * The type of the `error` marker.
 *
 * @example
 * ```ts
 * import { error, type ErrorMarker, MARKER } from "../mod.ts";
 * const marker: ErrorMarker = error;
 * console.assert(marker[MARKER] === "error");
 * ```
 */
export type ErrorMarker = Marker<Error | undefined> & { readonly [MARKER]: "error" };

/**
 * An operation as the types below see it: its schemas.
 *
 * @example
 * ```ts
 * import { int64, rest, type Typed } from "../mod.ts";
 * const typed: Typed<readonly [typeof int64]> = rest("PUT /level?n=%v", [int64]);
 * console.assert(typed.args.length === 1);
 * ```
 */
export interface Typed<
  A extends readonly Schema[] = readonly Schema[],
  R extends readonly Schema[] = readonly Schema[],
  E = NoErrors,
> {
  readonly args: A;
  readonly results: R;
  readonly fails?: E;
}

type Inputs<S extends readonly Schema[]> = { -readonly [K in keyof S]: Input<S[K]> };
type Outputs<S extends readonly Schema[]> = { -readonly [K in keyof S]: Output<S[K]> };

/** Arguments of a client call; those at the end that may be undefined may be left out. */
type ClientArguments<S extends readonly Schema[], Tail extends unknown[] = []> = S extends
  readonly [...infer Init extends readonly Schema[], infer Last extends Schema]
  ? undefined extends Input<Last> ? ClientArguments<Init, [Input<Last>?, ...Tail]>
  : [...Inputs<S>, ...Tail]
  : Tail;

type ValuesOf<V extends readonly unknown[]> = V extends readonly [] ? void : V extends readonly [infer One] ? One : V;

/**
 * The result of a server function: nothing, its one result, or a tuple. It throws its errors, so an `error` result is left out.
 *
 * @example
 * ```ts
 * import { error, int64, type ServerResult } from "../mod.ts";
 * type Divided = ServerResult<readonly [typeof int64, typeof int64, typeof error]>;
 * const divide = (a: bigint, b: bigint): Divided => [a / b, a % b];
 * console.assert(divide(7n, 2n)[1] === 1n);
 * ```
 */
export type ServerResult<R extends readonly Schema[]> = R extends
  readonly [...infer Values extends readonly Schema[], ErrorMarker] ? ValuesOf<Inputs<Values>>
  : ValuesOf<Inputs<R>>;

/**
 * The result of a client call: nothing, its one result, or a tuple, with the error last where the definition says `error`.
 *
 * @example
 * ```ts
 * import { type ClientResult, error, int64 } from "../mod.ts";
 * const show = ([quotient, failure]: ClientResult<readonly [typeof int64, typeof error]>) => failure?.message ?? quotient;
 * console.assert(show([3n, undefined]) === 3n);
 * ```
 */
export type ClientResult<R extends readonly Schema[]> = ValuesOf<
  R extends readonly [...infer Values extends readonly Schema[], ErrorMarker]
    ? [...{ [K in keyof Outputs<Values>]: Outputs<Values>[K] | undefined }, Error | undefined]
    : Outputs<R>
>;

/**
 * A server's function for an operation.
 *
 * @example
 * ```ts
 * import { int64, rest, type ServerFunction } from "../mod.ts";
 * const operation = rest("GET /sum?a=%v&b=%v", [int64, int64], [int64]);
 * const add: ServerFunction<typeof operation> = (a, b) => a + b;
 * ```
 */
export type ServerFunction<O, Identity = unknown, State extends object = object> = O extends
  Typed<infer A, infer R, infer E> ? (
    ...args: [...Outputs<A>, context: Context<Identity, State>]
  ) => ServerResult<R> | ServerFailure<E> | Promise<ServerResult<R> | ServerFailure<E>>
  : never;

/**
 * Options of one client call.
 *
 * @example
 * ```ts
 * import type { CallOptions } from "../mod.ts";
 * const impatient: CallOptions = {
 *   timeout: 500,
 *   signal: new AbortController().signal,
 *   headers: { "x-request-id": "7" },
 * };
 * ```
 */
export interface CallOptions {
  signal?: AbortSignal;
  /** Milliseconds until the call is given up, a channel or a stream that is still coming too. */
  timeout?: number;
  /**
   * Headers of this call's request: over those of its body, its arguments and its client. Of a WebSocket that a browser opens only an
   * `Authorization` can be sent.
   */
  headers?: HeadersInit;
  /**
   * Opens a channel as a WebSocket (true) or as lines over HTTP (false). By default a WebSocket is tried first where the client reaches the server as
   * the platform does (no `fetch` of one's own), the call is a GET and it has no headers but `Accept` and `Authorization`; where none can
   * be opened, lines follow.
   */
  websocket?: boolean;
}

/**
 * A client's function for an operation.
 *
 * @example
 * ```ts
 * import { type ClientFunction, int64, rest } from "../mod.ts";
 * const operation = rest("GET /sum?a=%v&b=%v", [int64, int64], [int64]);
 * const fake: ClientFunction<typeof operation> = (a, b) => Promise.resolve(BigInt(a) + BigInt(b));
 * console.assert(await fake(1n, 2n) === 3n);
 * ```
 */
export type ClientFunction<O> = O extends Typed<infer A, infer R, infer E>
  ? (...args: [...ClientArguments<A>, options?: CallOptions]) => Answer<ClientResult<R>, ClientFailure<E>>
  : never;
