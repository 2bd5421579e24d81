import type { Authenticator } from "./auth.ts";
import type { Definition, Namespace, Operations } from "./definition.ts";
import type { ExactFunctions } from "./plan/exact_result.ts";
import type { ServerFunction } from "./plan/function_types.ts";

/**
 * The functions of an API, by name. A function that is left out answers 501.
 *
 * @example
 * ```ts
 * import { api, type Functions, int64, rest } from "./mod.ts";
 * const calculator = api("calculator.example.com", { Add: rest("GET /sum?a=%v&b=%v", [int64, int64], [int64]) });
 * const functions: Functions<typeof calculator.operations> = { Add: (a, b) => a + b };
 * ```
 */
export type Functions<D extends Operations, Identity = unknown> = {
  readonly [K in keyof D]?: D[K] extends Namespace ? Functions<D[K]["operations"], Identity>
    : ServerFunction<D[K], Identity>;
};

/** A function as the server calls it: decoded arguments, then the context. */
// deno-lint-ignore ban-types -- the one type all server functions share; the plan is what says how to call it
export type AnyFunction = Function;

/**
 * Functions by name; those of a namespace in a table of their own.
 *
 * @example
 * ```ts
 * import type { FunctionTable } from "./mod.ts";
 * const table: FunctionTable = { Ping: () => {}, Orders: { Count: () => 7n } };
 * ```
 */
export interface FunctionTable {
  readonly [name: string]: AnyFunction | FunctionTable | undefined;
}

/**
 * Functions together with the definition they implement. `Identity` is what they expect of the authenticator.
 *
 * @example
 * ```ts
 * import { api, handler, implement, type Implementation, rest } from "./mod.ts";
 * const serveAll = (...implementations: Implementation[]) => handler(null, implementations);
 * const serve = serveAll(implement(api("x", { Ping: rest("GET /ping") }), { Ping() {} }));
 * console.assert((await serve(new Request("http://localhost/ping"))).status === 204);
 * ```
 */
export interface Implementation<in Identity = unknown> {
  readonly definition: Definition;
  readonly functions: FunctionTable;
  /** Carries the type only. */
  readonly expects?: (identity: Identity) => void;
}

/**
 * Binds functions to a definition. An object literal with a field that its schema does not have does not compile; other values are cut to
 * their schemas when they are sent. Code that is generic over definitions has no functions to look into, and makes the
 * {@linkcode Implementation} itself: `{ definition, functions }`.
 *
 * @param _auth The authenticator it will be served with: only its type is used, for that of `context.identity`
 *
 * @example
 * ```ts
 * import { api, handler, implement, int64, rest } from "./mod.ts";
 * const calculator = api("calculator.example.com", { Add: rest("GET /sum?a=%v&b=%v", [int64, int64], [int64]) });
 * const serve = handler(null, implement(calculator, { Add: (a, b) => a + b }));
 * console.assert(await (await serve(new Request("http://localhost/sum?a=1&b=2"))).text() === "3");
 * ```
 */
export function implement<const D extends Operations, F, Identity = unknown>(
  definition: Definition<D>,
  functions: Functions<D, Identity> & F & NoInfer<ExactFunctions<D, F>>,
  _auth?: Authenticator<Identity> | null,
): Implementation<Identity> {
  // A table of functions by name, whatever their parameters: the definition says what to call them with.
  return { definition, functions: functions as FunctionTable };
}
