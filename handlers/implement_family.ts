import { type Definition, type Functions, implement, type Implementation, type Operations } from "../lib/rest/mod.ts";
import { engineErrors } from "./errors.ts";

/** The parts of the whole API that a family may serve. */
export interface WholeAPI {
  /** Returns the OpenAPI document of all families. */
  swaggerText(): string;
}

/** Binds a family's functions to its definition, and the engine's errors to their statuses. A missing function does not compile. */
export function implementFamily<const D extends Operations>(
  definition: Definition<D>,
  functions: Functions<D>,
): Implementation {
  // A client of the definition carries no table of the engine's errors; only who serves it does.
  const options = { ...definition.options, errors: engineErrors };
  return implement({ ...definition, options }, functions);
}
