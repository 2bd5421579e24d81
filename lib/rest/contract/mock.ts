/**
 * A server of made-up results, for clients whose server does not exist yet.
 *
 * @example
 * ```ts
 * import { api, handler, link, rest } from "../mod.ts";
 * import { mock } from "./mock.ts";
 * import { z } from "npm:zod@4.6.7";
 *
 * const users = api("users.example.com", { Get: rest("GET /users/{id=%v}", [z.string()], [z.object({ id: z.string() })]) });
 * const client = link(users, "http://localhost", { fetch: handler(null, mock(users)) });
 * console.assert(typeof (await client.Get("1")).id === "string");
 * ```
 * @module
 */
import type { Definition, Operations } from "../definition.ts";
import {
  type AnyFunction,
  findFunction,
  type FunctionTable,
  type Implementation,
  type PartialFunctions,
} from "../implement.ts";
import { markerIs } from "../plan/marker.ts";
import type { Plan } from "../plan/plan_types.ts";
import { canStandInHeader, type Random, sampleValue, sampleValues, seededRandom } from "./sample.ts";

/**
 * The options of {@linkcode mock}.
 *
 * @example
 * ```ts
 * import { api, rest } from "../mod.ts";
 * import { mock, type MockOptions } from "./mock.ts";
 * const options: MockOptions = { seed: 7, values: 10 };
 * mock(api("x", { Ping: rest("GET /ping") }), {}, options);
 * ```
 */
export interface MockOptions {
  /** Decides the results: the same seed and the same order of calls make the same ones; 1 by default. */
  readonly seed?: number;
  /** How many values a channel sends; 3 by default. */
  readonly values?: number;
}

/**
 * Implements all operations with made-up results that fit their schemas.
 *
 * @param functions Functions that are there already, which take the place of made-up ones
 *
 * @example
 * ```ts
 * import { api, handler, int64, link, rest } from "../mod.ts";
 * import { mock } from "./mock.ts";
 * const shop = api("x", { Count: rest("GET /count", [], [int64]), Price: rest("GET /price", [], [int64]) });
 * const client = link(shop, "http://localhost", { fetch: handler(null, mock(shop, { Price: () => 7n })) });
 * console.assert(await client.Price() === 7n && typeof await client.Count() === "bigint");
 * ```
 */
export function mock<const D extends Operations>(
  definition: Definition<D>,
  functions: PartialFunctions<D> = {},
  { seed = 1, values = 3 }: MockOptions = {},
): Implementation {
  const random = seededRandom(seed);
  const table: Record<string, AnyFunction | FunctionTable> = {};
  for (const plan of definition.plans) {
    const path = plan.name.split(".");
    const last = path.pop()!;
    // Tables of functions, made by name from the same definition.
    let within = table;
    for (const name of path) within = (within[name] ??= {}) as typeof within;
    within[last] = findFunction(functions as FunctionTable, plan.name)[0] ?? mockFunction(plan, random, values);
  }
  return { definition, functions: table };
}

function mockFunction({ result, results, parsed }: Plan, random: Random, values: number): AnyFunction {
  const schemas = result.fallible ? results.slice(0, -1) : results;
  if (result.shape === "channel") return () => sampleValues(schemas[0], random, values);
  return async () => {
    const made = [];
    for (const [index, schema] of schemas.entries()) {
      // A header or cookie cannot hold every text.
      const canStand = parsed.resultRules[index]?.includes(":") ? canStandInHeader : undefined;
      made.push(markerIs(schema, "stream") === undefined ? await sampleValue(schema, random, canStand) : "made up");
    }
    return made.length > 1 ? made : made[0];
  };
}
