import { checkOperations } from "./check/check.ts";
import type { APIOptions, Definition, Operations } from "./definition.ts";

/**
 * Defines an API.
 *
 * @param base Where a client finds it unless told otherwise; without a scheme it is https
 * @throws {DefinitionError} listing everything that is wrong with the tags
 *
 * @example
 * ```ts
 * import { api, int64, rest } from "./mod.ts";
 * const calculator = api("calculator.example.com", {
 *   Add: rest("GET /sum?a=%v&b=%v", [int64, int64], [int64]),
 * });
 * ```
 */
export function api<const D extends Operations>(base: string, operations: D, options: APIOptions = {}): Definition<D> {
  return { base, operations, options, plans: checkOperations(operations, options) };
}
