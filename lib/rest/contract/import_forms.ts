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
  return [...all.filter((field) => !isStream(field)), ...all.filter(isStream)].map((field) => {
    const [name, json] = field;
    const optional = !isStream(field) && !(Array.isArray(required) && required.includes(name));
    return { name, text: isStream(field) ? streamText(json) : write(json), optional };
  });
}

function isStream([, json]: readonly [name: string, json: unknown]): boolean {
  return isObject(json) && json["x-gantry-kind"] === "stream";
}

function streamText(json: unknown): string {
  const { contentMediaType: type } = isObject(json) ? json : {};
  return `stream(${type === undefined || type === "application/octet-stream" ? "" : JSON.stringify(type)})`;
}
