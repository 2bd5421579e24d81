import type { ErrorMarker } from "./function_types.ts";
import type { Input, Output, Schema } from "./schema.ts";

/**
 * The type that the compiler shows when a tag and its schemas do not fit.
 *
 * @example
 * ```ts
 * import type { CheckTag, TagMismatch } from "../mod.ts";
 * const wrong: CheckTag<"GET /users/{id=%v}", [], []> extends TagMismatch<string> ? true : false = true;
 * ```
 */
export interface TagMismatch<Message extends string> {
  readonly "tag does not fit": Message;
}

/** The 1-based numbers that `%v` and `%[n]v` of a tag stand for, as a union, and `0`. After `%[n]v` the next `%v` is n+1, as in printf. */
type Placed<T extends string, Last extends unknown[] = [], Found = 0> = T extends `${string}%${infer Rest}`
  ? Rest extends `v${infer More}` ? Placed<More, [...Last, 0], Found | [...Last, 0]["length"]>
  : Rest extends `[${infer N extends number}]v${infer More}` ? Placed<More, Count<N>, Found | N>
  : Placed<Rest, Last, Found>
  : Found;

type Count<N extends number, Made extends unknown[] = []> = Made["length"] extends N ? Made
  : Made["length"] extends 32 ? Made
  : Count<N, [...Made, 0]>;

/** Every number up to the length of a tuple, 0 included. */
type Numbers<A extends readonly unknown[], N = 0> = A extends readonly [unknown, ...infer Rest]
  ? Numbers<Rest, N | A["length"]>
  : N;

/** How many of the arguments stand in no `%v`. */
type Unplaced<A extends readonly unknown[], P, Seen extends unknown[] = [], Left extends unknown[] = []> = A extends
  readonly [unknown, ...infer Rest] ? [...Seen, 0]["length"] extends P ? Unplaced<Rest, P, [...Seen, 0], Left>
  : Unplaced<Rest, P, [...Seen, 0], [...Left, 0]>
  : Left["length"];

type Words<T extends string, Made extends unknown[] = []> = T extends `${string},${infer Rest}`
  ? Words<Rest, [...Made, 0]>
  : [...Made, 0]["length"];

/** The text after `METHOD(CONTENT_TYPE) /`: the parameters of a content type hold spaces. */
type FromPath<T extends string> = T extends `${infer Method} /${infer Rest}`
  ? Method extends `${string}(${string}` ? T extends `${string}) /${infer Typed}` ? Typed : Rest : Rest
  : "";
type WithoutErrors<T extends string> = T extends `${infer Before} !${string}` ? WithoutErrors<Before> : T;
/** The text after the path: ` (ARGUMENT_RULES) RESULT_RULES`, without the errors. */
type AfterPath<T extends string> = WithoutErrors<FromPath<T>> extends `${string} ${infer Rules}` ? Rules : "";
type ArgumentRules<Rules extends string> = Rules extends `(${infer Names})${string}` ? Names : "";
type ResultRules<Rules extends string> = Rules extends `(${string}) ${infer Names}` ? Names
  : Rules extends `(${string})` ? ""
  : Rules;

/** The names of `{name}`, `{name*}` and `{A.b}`, reduced to their first part. */
type NestedNames<T extends string, Found = never> = T extends `${string}{${infer Inner}}${infer Rest}`
  ? NestedNames<Rest, Found | (Inner extends `${string}=${string}` ? never : FirstPart<Inner>)>
  : Found;
type FirstPart<Inner extends string> = Inner extends `${infer A}.${string}` ? A
  : Inner extends `${infer Name}*` ? Name
  : Inner;

/** The type of a struct, or never. */
type Struct<V> = V extends
  readonly unknown[] | string | number | bigint | boolean | Date | Uint8Array | null | undefined ? never
  : V extends object ? V
  : never;
type Keys<V> = Struct<V> extends infer S ? S extends unknown ? keyof S : never : never;
type Values<V> = Struct<V> extends infer S ? S extends unknown ? S[keyof S] : never : never;

/** The keys of structs and of those within them, so many levels deep. */
type DeepKeys<V, Depth extends 0[] = [0, 0, 0, 0, 0, 0, 0]> = [V] extends [never] ? never
  : Depth extends [0, ...infer Less extends 0[]] ? Keys<V> | DeepKeys<Struct<Values<V>>, Less>
  : never;

/** The rules of a list, without spaces. */
type RuleList<Rules extends string> = Rules extends `${infer One},${infer Rest}` ? [...RuleList<One>, ...RuleList<Rest>]
  : Rules extends ` ${infer Rest}` ? RuleList<Rest>
  : Rules extends `${infer Rest} ` ? RuleList<Rest>
  : Rules extends "" ? []
  : [Rules];

/** A browser sends cookies by itself. */
type CookieArgument<Rule, S extends Schema> = Rule extends `Cookie:${string}` ? Schema<Input<S> | undefined, Output<S>>
  : S;
/** A browser shows none to a page. */
type CookieResult<Rule, S extends Schema> = Rule extends `Set-Cookie:${string}`
  ? Schema<Input<S>, Output<S> | undefined>
  : S;

type WithCookieArguments<List extends readonly unknown[], A extends readonly Schema[], P, Seen extends unknown[] = []> =
  A extends readonly [infer One extends Schema, ...infer Rest extends readonly Schema[]]
    ? [...Seen, 0]["length"] extends P ? [One, ...WithCookieArguments<List, Rest, P, [...Seen, 0]>]
    : List extends readonly [infer Rule, ...infer More]
      ? [CookieArgument<Rule, One>, ...WithCookieArguments<More, Rest, P, [...Seen, 0]>]
    : A
    : A;

type WithCookieResults<List extends readonly unknown[], R extends readonly Schema[]> = R extends
  readonly [infer One extends Schema, ...infer Rest extends readonly Schema[]]
  ? List extends readonly [infer Rule, ...infer More] ? [CookieResult<Rule, One>, ...WithCookieResults<More, Rest>] : R
  : R;

/** The arguments of an operation as its callers pass them: cookies may be left to a browser. */
export type PlacedArguments<T extends string, A extends readonly Schema[]> = [T] extends [never] ? A
  : [T] extends [`${string}Cookie:${string}`] ? WithCookieArguments<RuleList<ArgumentRules<AfterPath<T>>>, A, Placed<T>>
  : A;

/** The results of an operation as its callers get them: cookies may have been kept by a browser. */
export type PlacedResults<T extends string, R extends readonly Schema[]> = [T] extends [never] ? R
  : [T] extends [`${string}Set-Cookie:${string}`] ? WithCookieResults<RuleList<ResultRules<AfterPath<T>>>, R>
  : R;

type WithoutError<R extends readonly Schema[]> = R extends readonly [...infer Values, ErrorMarker] ? Values : R;

type NestedFit<T extends string, A extends readonly Schema[]> =
  [Exclude<NestedNames<T>, Keys<Input<A[number]>>>] extends [never] ? unknown
    // Looking deeper takes the compiler longer.
    : [Exclude<NestedNames<T>, DeepKeys<Input<A[number]>>>] extends [never] ? unknown
    : TagMismatch<
      `no argument has a field ${
        & Exclude<NestedNames<T>, DeepKeys<Input<A[number]>>>
        & string}, and an argument of its own is {name=%v}`
    >;

type ResultFit<Rules extends string, R extends readonly unknown[], Else> = Rules extends "" ? Else
  : Words<Rules> extends R["length"] ? Else
  : TagMismatch<`result rules "${Rules}" do not match the number of results`>;

type ArgumentFit<Rules extends string, Left, Else> = Rules extends "" ? Else
  : Words<Rules> extends Left ? Else
  : TagMismatch<`argument rules "${Rules}" do not match the number of body arguments`>;

/**
 * `unknown` when the tag fits its schemas, else a type that says what is wrong. A tag of type `string` is not looked into
 * (it is checked when it runs), which is also the way to use the `rest` names of a schema's metadata, which types do not carry.
 *
 * @example
 * ```ts
 * import { type CheckTag, int64 } from "../mod.ts";
 * type Fits = unknown extends CheckTag<"GET /square?n=%v", [typeof int64], [typeof int64]> ? true : false;
 * const fits: Fits = true;
 * ```
 */
export type CheckTag<T extends string, A extends readonly Schema[], R extends readonly Schema[]> = string extends T
  ? unknown
  : number extends A["length"] ? unknown
  : [Exclude<Placed<T>, Numbers<A>>] extends [never] ? ArgumentFit<
      ArgumentRules<AfterPath<T>>,
      Unplaced<A, Placed<T>>,
      ResultFit<ResultRules<AfterPath<T>>, WithoutError<R>, NestedFit<T, A>>
    >
  : TagMismatch<`argument ${Exclude<Placed<T>, Numbers<A>> & number} of the tag is not there`>;
