import { readErrorWord } from "../tag/error_word.ts";
import type { Plan } from "./plan_types.ts";
import type { Schema } from "./schema.ts";

/** An error that an operation declares. */
export interface DeclaredError {
  readonly status: number;
  /** Its name in the tag. */
  readonly name: string | undefined;
  /** The schema of its body; without one it goes out as any other error of the API. */
  readonly schema: Schema | undefined;
}

/** Lists the errors that an operation declares, by status. It trusts the definition. */
export function declaredErrors(
  { parsed: { errors: text = "" }, options: { errors: schemas = {} } }: Pick<Plan, "parsed" | "options">,
): Map<number, DeclaredError> {
  const found = new Map<number, DeclaredError>();
  for (const word of text.split(" ")) {
    const { status, name } = readErrorWord(word) ?? {};
    if (status !== undefined) found.set(status, { status, name, schema: schemas[name ?? status] });
  }
  for (const [key, schema] of Object.entries(schemas)) {
    const status = Number(key);
    if (status && !found.has(status)) found.set(status, { status, name: undefined, schema });
  }
  return found;
}
