import type { Kind } from "./kind.ts";
import type { CookieOptions } from "../headers/cookies.ts";
import type { ErrorSchemas } from "./error_types.ts";
import type { Schema } from "./schema.ts";
import type { StreamView } from "./stream_view.ts";
import type { Tag } from "../tag/tag.ts";

/** A segment of a path as the router knows it. Literals are percent-encoded as `new URL` would. */
export type Segment =
  | { readonly type: "literal"; readonly text: string }
  | { readonly type: "parameter"; readonly name: string }
  /** Literals and names in turn; at least one of each. */
  | { readonly type: "partial"; readonly parts: readonly ({ readonly text: string } | { readonly name: string })[] }
  | { readonly type: "remainder"; readonly name: string };

/** The destination of a value: an argument by its number, or a field within it. */
export interface Target {
  readonly argument: number;
  /** Empty when the value is the argument itself. */
  readonly path: readonly string[];
  readonly kind: Kind;
}

/** A value in the path, in the order the router captures them. */
export interface PathParameter extends Target {
  readonly name: string;
  readonly remainder: boolean;
}

/** A value in the query, under its name: an argument, or a field of one that is spread, nested ones as `a.b`. */
export interface QueryParameter extends Target {
  readonly name: string;
  /** The meaning of a value that must be there and is not: an empty list, or null where that may be. */
  readonly absent: null | undefined | readonly [];
  /** Whether it is a struct whose fields follow, each of its own: what is written then is these. */
  readonly followed?: boolean;
}

/** An argument spread over the query: a struct, whose fields are query parameters, or a map. */
export interface QuerySpread extends Pick<Target, "argument" | "path"> {
  /** Its name in messages. */
  readonly name: string;
  /** The kind of a map's values; undefined for a struct. */
  readonly value: Kind | undefined;
  /**
   * Makes the map of the values of a query that are no parameters of the plan, or a struct that these are still to be put into.
   *
   * @param names All names in the query
   * @param readNamed Reads the value of a name
   */
  read(
    names: Iterable<string>,
    plan: Pick<Plan, "query" | "constants">,
    readNamed: (name: string, kind: Kind) => unknown,
  ): Record<string, unknown>;
  /** Returns the entries of a map, which are written. */
  entries(map: unknown): [name: string, value: unknown][];
}

/**
 * Plans an argument that is spread over the query.
 *
 * @param placed Its fields that stand in the path
 */
export type SpreadQuery = (
  target: Target,
  placed: readonly Target[],
) => { readonly spread: QuerySpread; readonly parameters: readonly QueryParameter[] };

/** One argument. */
export interface ArgumentPlan {
  readonly schema: Schema;
  readonly kind: Kind;
}

/** How the body is made of arguments, or is one. A channel is a stream with an `item`. */
export interface BodyPlan {
  readonly shape: "value" | "fields" | "list" | "stream";
  readonly arguments: readonly number[];
  /** The names of the arguments in an object, for `fields`. */
  readonly names: readonly string[];
  readonly contentType: string;
  /** Whether the tag itself names the content type. */
  readonly tagged: boolean;
  /** The kind of the values of a channel, else of all. */
  readonly kind: Kind;
  /** The item of a channel. */
  readonly item: Schema | undefined;
}

/** How the response is made of results, or is one. */
export interface ResultPlan {
  readonly shape: "none" | "value" | "fields" | "list" | "stream" | "channel";
  /** The results in the body; others stand in headers. */
  readonly schemas: readonly Schema[];
  /** The kind of each. */
  readonly kinds: readonly Kind[];
  readonly names: readonly string[];
  readonly contentType: string;
  readonly tagged: boolean;
  readonly kind: Kind;
  /** Whether `error` is the last result. */
  readonly fallible: boolean;
  /** The item of a channel. */
  readonly item: Schema | undefined;
}

/**
 * An operation, taken apart once: the server, the client, the router and documents all read it.
 *
 * @example
 * ```ts
 * import { api, int64, type Plan, rest } from "../mod.ts";
 * const line = ({ method, name, result }: Plan) => `${method} ${name} -> ${result.contentType}`;
 * const [plan] = api("x", { Level: rest("GET /level", [], [int64]) }).plans;
 * console.assert(line(plan) === "GET Level -> text/plain");
 * ```
 */
export interface Plan {
  /** The function's name. */
  readonly name: string;
  readonly tag: string;
  readonly description: string | undefined;
  readonly method: string;
  readonly segments: readonly Segment[];
  readonly parameters: readonly PathParameter[];
  readonly query: readonly QueryParameter[];
  readonly spreads: readonly QuerySpread[];
  /** Query constants: the client sends them, the server requires them. */
  readonly constants: readonly (readonly [name: string, value: string])[];
  readonly present: readonly string[];
  /** Which versions in the path it takes, as in `<4`. */
  readonly versionsText: string | undefined;
  readonly arguments: readonly ArgumentPlan[];
  /** The arguments that stand neither in path nor in query, in order: in headers and in the body. */
  readonly unplaced: readonly number[];
  readonly body: BodyPlan | undefined;
  readonly result: ResultPlan;
  /** The status of success. */
  readonly status: number;
  readonly limit: number;
  readonly asTagged: boolean;
  /** Whether results go out unchecked. */
  readonly trusted: boolean;
  /** The tag, taken apart: its rules say what stands in headers, its errors are read by {@linkcode declaredErrors}. */
  readonly parsed: Tag;
  /** All of its results, those in headers and an error too. */
  readonly results: readonly Schema[];
  /** Its options as they are given. */
  readonly options: {
    readonly errors?: ErrorSchemas;
    readonly cookies?: Readonly<Record<string, CookieOptions>>;
    readonly view?: StreamView;
  };
}
