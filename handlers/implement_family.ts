import { type Definition, type Functions, implement, type Implementation, type Operations } from "../lib/rest/mod.ts";
import { engineErrors } from "./errors.ts";

/** Binds a family's functions to its definition, with the engine's errors on their way to the wire. */
export function implementFamily<const D extends Operations>(
  definition: Definition<D>,
  functions: Functions<D>,
): Implementation {
  // A client of the definition carries no table of the engine's errors; only who serves it does.
  const options = { ...definition.options, errors: engineErrors };
  return implement({ ...definition, options }, functions);
}
