import type { Authenticator } from "./auth.ts";
import type { Definition, Namespace, Operations } from "./definition.ts";
import type { ExactFunctions } from "./plan/exact_result.ts";
import type { Stack } from "./middleware/middleware_stack.ts";
import type { ServerFunction } from "./plan/function_types.ts";

/**
 * The functions of an API, by name: all of them.
 *
 * @example
 * ```ts
 * import { api, type Functions, int64, rest } from "./mod.ts";
 * const calculator = api("calculator.example.com", { Add: rest("GET /sum?a=%v&b=%v", [int64, int64], [int64]) });
 * const functions: Functions<typeof calculator.operations> = { Add: (a, b) => a + b };
 * ```
 */
export type Functions<D extends Operations, Identity = unknown, State extends object = object> = {
  readonly [K in keyof D]: D[K] extends Namespace ? Functions<D[K]["operations"], Identity, State>
    : ServerFunction<D[K], Identity, State>;
};

/**
 * Some of the functions of an API, by name, for {@linkcode implementPart}.
 *
 * @example
 * ```ts
 * import { api, int64, type PartialFunctions, rest } from "./mod.ts";
 * const shop = api("x", { Count: rest("GET /count", [], [int64]), Clear: rest("DELETE /all") });
 * const functions: PartialFunctions<typeof shop.operations> = { Count: () => 7n };
 * ```
 */
export type PartialFunctions<D extends Operations, Identity = unknown, State extends object = object> = {
  readonly [K in keyof D]?: D[K] extends Namespace ? PartialFunctions<D[K]["operations"], Identity, State>
    : ServerFunction<D[K], Identity, State>;
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
 * Functions together with the definition they implement. `Identity` is what they expect of the authenticator, `State` of the
 * middleware.
 *
 * @example
 * ```ts
 * import { api, handler, implement, type Implementation, rest } from "./mod.ts";
 * const serveAll = (...implementations: Implementation[]) => handler(null, implementations);
 * const serve = serveAll(implement(api("x", { Ping: rest("GET /ping") }), { Ping() {} }));
 * console.assert((await serve(new Request("http://localhost/ping"))).status === 204);
 * ```
 */
export interface Implementation<in Identity = unknown, in State extends object = object> {
  readonly definition: Definition;
  readonly functions: FunctionTable;
  /** Whether operations without a function answer 501. */
  readonly isPart?: boolean;
  /** Carries the type only. */
  readonly expects?: (identity: Identity, state: State) => void;
}

/** One implementation, or several. */
export type Implementations<Identity, State extends object> =
  | Implementation<Identity, State>
  | readonly Implementation<Identity, State>[];

/**
 * Finds a function by its name in a definition, and the table that holds it.
 *
 * @param name With its namespaces and dots before it
 */
export function findFunction(
  functions: FunctionTable,
  name: string,
): readonly [run: AnyFunction | undefined, holder: unknown] {
  let holder: unknown;
  // The types of `implement` have checked this: tables all the way, then a function.
  let run: unknown = functions;
  for (const key of name.split(".")) {
    holder = run;
    run = (run as FunctionTable | undefined)?.[key];
  }
  return [run as AnyFunction | undefined, holder];
}

/**
 * Binds functions to a definition: one to each operation, or `handler` throws a {@linkcode DefinitionError}. {@linkcode implementPart} binds
 * some of them.
 *
 * An object literal with a field that its schema does not have does not compile; other values are cut to their schemas when they are sent.
 * Code that is generic over definitions has no functions to look into, and makes the {@linkcode Implementation} itself:
 * `{ definition, functions }`.
 *
 * @param _auth The authenticator it will be served with: only its type is used, for that of `context.identity`
 * @param _use The middleware it will be served with: only its type is used, for that of `context.state`
 *
 * @example
 * ```ts
 * import { api, handler, implement, int64, rest } from "./mod.ts";
 * const calculator = api("calculator.example.com", { Add: rest("GET /sum?a=%v&b=%v", [int64, int64], [int64]) });
 * const serve = handler(null, implement(calculator, { Add: (a, b) => a + b }));
 * console.assert(await (await serve(new Request("http://localhost/sum?a=1&b=2"))).text() === "3");
 * ```
 */
export function implement<const D extends Operations, F, Identity = unknown, State extends object = object>(
  definition: Definition<D>,
  functions: Functions<D, Identity, State> & F & NoInfer<ExactFunctions<D, F>>,
  _auth?: Authenticator<Identity> | null,
  _use?: Stack<State>,
): Implementation<Identity, State> {
  // A table of functions by name, whatever their parameters: the definition says what to call them with.
  return { definition, functions: functions as FunctionTable };
}

/**
 * Binds some functions to a definition, as while a server is being written: the other operations answer 501.
 *
 * @param _auth The authenticator it will be served with: only its type is used, for that of `context.identity`
 * @param _use The middleware it will be served with: only its type is used, for that of `context.state`
 *
 * @example
 * ```ts
 * import { api, handler, implementPart, int64, rest } from "./mod.ts";
 * const shop = api("x", { Count: rest("GET /count", [], [int64]), Clear: rest("DELETE /all") });
 * const serve = handler(null, implementPart(shop, { Count: () => 7n }));
 * console.assert((await serve(new Request("http://localhost/all", { method: "DELETE" }))).status === 501);
 * ```
 */
export function implementPart<const D extends Operations, F, Identity = unknown, State extends object = object>(
  definition: Definition<D>,
  functions: PartialFunctions<D, Identity, State> & F & NoInfer<ExactFunctions<D, F>>,
  _auth?: Authenticator<Identity> | null,
  _use?: Stack<State>,
): Implementation<Identity, State> {
  // As above.
  return { definition, functions: functions as FunctionTable, isPart: true };
}
