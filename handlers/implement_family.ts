import type { Definition, Functions, FunctionTable, Implementation, Operations } from "../lib/rest/mod.ts";
import { engineErrors } from "./errors.ts";

/** The parts of the whole API that a family may serve. */
export interface WholeAPI {
  /** Returns the OpenAPI document of all families. */
  swaggerText(): string | Promise<string>;
}

/** Binds a family's functions to its definition, and the engine's errors to their statuses. A missing function does not compile. */
export function implementFamily<const D extends Operations>(
  definition: Definition<D>,
  functions: Functions<D>,
): Implementation {
  // A client of the definition carries no table of the engine's errors; only who serves it does.
  const options = { ...definition.options, errors: engineErrors };
  // Functions by name, whatever their parameters: the type above has checked them.
  return { definition: { ...definition, options }, functions: functions as FunctionTable };
}
