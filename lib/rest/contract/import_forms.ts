/** Forms of an OpenAPI document of which the last fields are streams. */
import { isObject } from "../surfaces/components.ts";
import type { JSONSchema } from "../surfaces/openapi_types.ts";

/** A field of a form that is an argument of its own. */
export interface FieldText {
  readonly name: string;
  readonly text: string;
  readonly optional: boolean;
}

/**
 * The fields of a form that has streams, which come last; undefined of one that has none, or fields that no rule can name.
 *
 * @param write Writes the schema of another field
 */
export function streamedFields(
  { properties, required }: JSONSchema,
  write: (json: unknown) => string,
): readonly FieldText[] | undefined {
  const all = Object.entries(isObject(properties) ? properties : {});
  if (!all.some(isStream) || !all.every(([name]) => /^[\w.-]+$/.test(name))) return undefined;
  const isOptional = (name: string) => !(Array.isArray(required) && required.includes(name));
  const streams = all.filter(isStream).map(([name, json], index) => ({
    name,
    // Only the first of them can be left out.
    text: `${streamText(json)}${index === 0 && isOptional(name) ? ".optional()" : ""}`,
    optional: false,
  }));
  const others = all.filter((field) => !isStream(field));
  return [...others.map(([name, json]) => ({ name, text: write(json), optional: isOptional(name) })), ...streams];
}

function isStream([, json]: readonly [name: string, json: unknown]): boolean {
  return isObject(json) && json["x-gantry-kind"] === "stream";
}

function streamText(json: unknown): string {
  const { contentMediaType: type } = isObject(json) ? json : {};
  return `stream(${type === undefined || type === "application/octet-stream" ? "" : JSON.stringify(type)})`;
}
