import type { Context } from "./context.ts";
import type { MARKER, Marker } from "./marker.ts";
import type { Input, Output, Schema } from "./schema.ts";

/** The type of the `error` marker. */
export type ErrorMarker = Marker<Error | undefined> & { readonly [MARKER]: "error" };

/** An operation as the types below see it: its schemas. */
export interface Typed<
  A extends readonly Schema[] = readonly Schema[],
  R extends readonly Schema[] = readonly Schema[],
> {
  readonly args: A;
  readonly results: R;
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

/** What a server function returns: nothing, its one result, or a tuple. It throws its errors, so an `error` result is left out. */
export type ServerResult<R extends readonly Schema[]> = R extends
  readonly [...infer Values extends readonly Schema[], ErrorMarker] ? ValuesOf<Inputs<Values>>
  : ValuesOf<Inputs<R>>;

/** What a client call resolves to: nothing, its one result, or a tuple, with the error last where the definition says `error`. */
export type ClientResult<R extends readonly Schema[]> = ValuesOf<
  R extends readonly [...infer Values extends readonly Schema[], ErrorMarker]
    ? [...{ [K in keyof Outputs<Values>]: Outputs<Values>[K] | undefined }, Error | undefined]
    : Outputs<R>
>;

/** A server's function for an operation. */
export type ServerFunction<O, Identity = unknown> = O extends Typed<infer A, infer R>
  ? (...args: [...Outputs<A>, context: Context<Identity>]) => ServerResult<R> | Promise<ServerResult<R>>
  : never;

/** Options of one client call. */
export interface CallOptions {
  signal?: AbortSignal;
  /** Milliseconds until the call is given up. */
  timeout?: number;
  /** Asks for a channel over WebSocket instead of HTTP. */
  websocket?: boolean;
}

/** A client's function for an operation. */
export type ClientFunction<O> = O extends Typed<infer A, infer R>
  ? (...args: [...ClientArguments<A>, options?: CallOptions]) => Promise<ClientResult<R>>
  : never;
