import type { HTTPError } from "../error.ts";
import type { TagMismatch } from "./tag_types.ts";
import type { Input, Output, Schema } from "./schema.ts";

/**
 * The bodies of an operation's errors: by status, or by the name that the tag gives one, as in `!409(Conflict)`.
 *
 * @example
 * ```ts
 * import { type ErrorSchemas, rest } from "../mod.ts";
 * import { z } from "npm:zod@4.6.7";
 * const errors: ErrorSchemas = { 409: z.object({ owner: z.string() }) };
 * console.assert(rest("PUT /lock !404", [], [], { errors }).options.errors === errors);
 * ```
 */
export interface ErrorSchemas {
  readonly [statusOrName: string | number]: Schema;
}

/** Schemas of bodies by status. An error that is declared without one has a body of the API's own making. */
export interface ErrorsByStatus {
  readonly [status: number]: Schema;
}

/** No errors. */
export type NoErrors = Record<never, never>;

/**
 * An error with a status and body that a definition declares: what {@linkcode failureOf} makes.
 *
 * @example
 * ```ts
 * import { type HTTPFailure, failureOf } from "../mod.ts";
 * const taken: HTTPFailure<409, { owner: string }> = failureOf(409, "Lock: it is taken", { owner: "ann" });
 * console.assert(taken.body.owner === "ann");
 * ```
 */
export type HTTPFailure<Status extends number = number, Body = unknown> = HTTPError & {
  readonly status: Status;
  readonly body: Body;
};

/** The errors that a server's function may return. */
export type ServerFailure<E> = { [S in keyof E & number]: HTTPFailure<S, E[S] extends Schema ? Input<E[S]> : never> }[
  & keyof E
  & number
];

/** The errors that a client's call may be refused with. */
export type ClientFailure<E> = { [S in keyof E & number]: HTTPFailure<S, E[S] extends Schema ? Output<E[S]> : never> }[
  & keyof E
  & number
];

/** The key under which the promise of a call has the type of its declared errors. */
declare const FAILURES: unique symbol;

/**
 * The promise of a call, with the type of the errors that its operation declares.
 *
 * @example
 * ```ts
 * import { type Answer, type HTTPFailure, outcomeOf } from "../mod.ts";
 * const get = (): Answer<string, HTTPFailure<404>> => Promise.resolve("found");
 * const outcome = await outcomeOf(get());
 * console.assert(outcome.ok && outcome.value === "found");
 * ```
 */
export type Answer<Value, Failures> = [Failures] extends [never] ? Promise<Value>
  : Promise<Value> & { readonly [FAILURES]?: Failures };

/** The words behind the result rules of a tag, from the first exclamation mark on. */
type ErrorWords<T extends string> = T extends `${string} !${infer Words}` ? Words : never;

/** The errors of a tag's words, with their schemas out of `E`. */
type WordErrors<Words extends string, E> = Words extends `${infer One} !${infer Rest}`
  ? WordErrors<One, E> & WordErrors<Rest, E>
  : Words extends `${infer S extends number}(${infer Name})`
    ? { readonly [K in S]: Name extends keyof E ? E[Name] : Schema }
  : Words extends `${infer S extends number}` ? { readonly [K in S]: S extends keyof E ? E[S] : Schema }
  : NoErrors;

type ErrorNames<Words extends string> = Words extends `${infer One} !${infer Rest}` ? ErrorNames<One> | ErrorNames<Rest>
  : Words extends `${string}(${infer Name})` ? Name
  : never;

/** `unknown` when there is a schema for every error that a tag names, else a type that says what is wrong. */
export type ErrorFit<T extends string, E> = string extends T ? unknown
  : [Exclude<ErrorNames<ErrorWords<T>>, keyof E>] extends [never] ? unknown
  : TagMismatch<`the option "errors" has no schema "${Exclude<ErrorNames<ErrorWords<T>>, keyof E> & string}"`>;

/** The errors that a tag and its schemas declare: the schema of the body by status. */
export type DeclaredErrors<T extends string, E> =
  & ([ErrorWords<T>] extends [never] ? NoErrors : WordErrors<ErrorWords<T>, E>)
  & { readonly [K in keyof E as K extends number ? K : never]: E[K] };
