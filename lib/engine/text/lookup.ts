import type { EngineError } from "../errors.ts";
import type { Index, Table } from "../store/table.ts";

/** The errors of a lookup that finds no object, or several. */
export interface LookupFailures {
  none(nameOrID: string): EngineError;
  several(nameOrID: string): EngineError;
}

/**
 * Finds an object by its full ID, else by its name, else by an ID prefix that only one object has: the order of every resource.
 * The full ID comes first, so that no object hides another by taking its ID for a name.
 *
 * Throws the error that `failures` makes for no match or several; no text matches nothing.
 */
export function findByNameOrID<T>(
  table: Table<T>,
  names: Index<T>,
  nameOrID: string,
  failures: LookupFailures,
): Readonly<T> {
  const exact = table.get(nameOrID) ?? names.get(nameOrID);
  if (exact) return exact;
  const matches = nameOrID === "" ? [] : table.withPrefix(nameOrID);
  if (matches.length > 1) throw failures.several(nameOrID);
  if (matches.length === 0) throw failures.none(nameOrID);
  return matches[0];
}
