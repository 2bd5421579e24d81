import type { Namespace } from "../definition.ts";
import type { ServerFunction } from "./function_types.ts";

/**
 * The type that the compiler shows where functions and their definition do not fit.
 *
 * @example
 * ```ts
 * import type { ExactFunctions, FunctionMismatch } from "../mod.ts";
 * type Wrong = ExactFunctions<{}, { Get(): string }>["Get"] extends FunctionMismatch<string> ? true : false;
 * const wrong: Wrong = true;
 * ```
 */
export interface FunctionMismatch<Message extends string> {
  readonly "function does not fit": Message;
}

/**
 * Functions as their definition takes them: `unknown` in the place of each that fits, else a type that says what does not. An object literal
 * with a field that is not in the schema of its result does not fit, nor does a function that is not in the definition. Objects
 * of interfaces and classes may have more fields: the server leaves them out.
 *
 * @example
 * ```ts
 * import { api, type ExactFunctions, implement, rest } from "../mod.ts";
 * import { z } from "npm:zod@4.6.7";
 * const users = api("x", { Get: rest("GET /user", [], [z.object({ id: z.string() })]) });
 * const get = () => ({ id: "ann", hash: "…" });
 * const fits: "function does not fit" extends keyof ExactFunctions<typeof users.operations, { Get: typeof get }>["Get"]
 *   ? false
 *   : true = false;
 * ```
 */
export type ExactFunctions<D, F> = {
  readonly [K in keyof F]: string extends K ? unknown
    : K extends keyof D ? D[K] extends Namespace ? ExactFunctions<D[K]["operations"], F[K]> : ExactFunction<D[K], F[K]>
    : F extends Record<string, unknown> ? FunctionMismatch<`"${K & string}" is not in the definition`>
    : unknown;
};

type ExactFunction<O, F> = F extends (...args: never) => infer Given
  ? [ForeignKeys<Awaited<Given>, Awaited<ReturnType<ServerFunction<O>>>>] extends [never] ? unknown
  : FunctionMismatch<
    `the schema of the result has no field "${
      & ForeignKeys<Awaited<Given>, Awaited<ReturnType<ServerFunction<O>>>>
      & string}"`
  >
  : unknown;

/** The keys of literals in a value that its type does not have. Values deeper than this are left to the server. */
type ForeignKeys<Given, Wanted, Depth extends 0[] = []> = 0 extends 1 & Given ? never
  : unknown extends Wanted ? never
  : Depth["length"] extends 5 ? never
  : Given extends readonly (infer Item)[] ? ForeignKeys<Item, ItemOf<Wanted>, [...Depth, 0]>
  : Given extends AsyncIterable<infer Item> ? ForeignKeys<Item, ValueOf<Wanted>, [...Depth, 0]>
  // Only types without a name of their own have an index signature by implication.
  : Given extends Record<string, unknown> ? {
      [K in keyof Given & string]-?: K extends KeyOf<Wanted> ? ForeignKeys<Given[K], FieldOf<Wanted, K>, [...Depth, 0]>
        : K;
    }[
      & keyof Given
      & string
    ]
  : never;

type KeyOf<T> = T extends object ? keyof T : never;
type FieldOf<T, K> = T extends object ? K extends keyof T ? T[K] : never : never;
type ItemOf<T> = T extends readonly (infer Item)[] ? Item : never;
type ValueOf<T> = T extends AsyncIterable<infer Item> ? Item : never;
