/** The names of fields compared, where a schema says which there may be. */
import { isObject } from "../surfaces/components.ts";
import type { JSONSchema } from "../surfaces/openapi_types.ts";

/** Lists why a value of one schema may not fit another, at this field. */
export type CompareField = (from: unknown, to: unknown, name: string) => string[];

/** Whether a pattern of a schema fits the name of a field. */
export function isPatterned(json: JSONSchema, name: string): boolean {
  return [...patternsOf(json).keys()].some((pattern) => expressionOf(pattern)?.test(name));
}

/**
 * Lists why names that the fields of `from` may have do not fit `to`, and why the values of those that a pattern of `to` fits do not.
 *
 * @param others The schema of fields that `from` does not name; false where there are none
 * @param refuse The words about a field that is not known; undefined where such pass
 */
export function keyMisfits(
  from: JSONSchema,
  to: JSONSchema,
  others: unknown,
  compare: CompareField,
  refuse: ((name: string) => string) | undefined,
): string[] {
  const named = isObject(from.properties) ? from.properties : {};
  const patterns = patternsOf(from);
  const misfits: string[] = [];
  if (isObject(to.propertyNames)) {
    const wanted = asName(to.propertyNames);
    for (const name of Object.keys(named)) misfits.push(...compare({ const: name }, wanted, `${name} (the name)`));
    if (others !== false || patterns.size > 0) {
      misfits.push(...compare(asName(from.propertyNames), wanted, "* (the name)"));
    }
  }
  for (const [pattern, schema] of patternsOf(to)) {
    const fits = expressionOf(pattern);
    for (const [name, json] of Object.entries(named)) {
      if (fits?.test(name)) misfits.push(...compare(json, schema, name));
    }
    const same = patterns.get(pattern) ?? others;
    if (same !== false) misfits.push(...compare(same === true ? {} : same, schema, `/${pattern}/`));
  }
  // A field that only a pattern of `from` lets in is one like any other.
  const { additionalProperties: taken } = to;
  for (const [pattern, schema] of patterns) {
    if (patternsOf(to).has(pattern)) continue;
    if (isObject(taken)) misfits.push(...compare(schema, taken, `/${pattern}/`));
    else if (taken === false && refuse) misfits.push(refuse(`/${pattern}/`));
  }
  return misfits;
}

/** Every name is a text. */
function asName(json: unknown): JSONSchema {
  return { type: "string", ...isObject(json) ? json : {} };
}

function patternsOf({ patternProperties }: JSONSchema): ReadonlyMap<string, unknown> {
  return new Map(isObject(patternProperties) ? Object.entries(patternProperties) : []);
}

/** A pattern of a document; undefined of what no engine reads. */
function expressionOf(pattern: string): RegExp | undefined {
  try {
    return new RegExp(pattern, "u");
  } catch {
    return undefined;
  }
}
