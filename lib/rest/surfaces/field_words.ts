import { isObject } from "./components.ts";
import type { JSONSchema } from "./openapi_types.ts";

/** Returns the words about a field by its path: names with dots between them. */
export type FieldWords = (path: string) => string | undefined;

/** Keywords that hold a schema, or a list of them, for the value that has the path itself: an item's field has the path of its list. */
const SAME_PATH = ["items", "prefixItems", "anyOf", "oneOf", "allOf", "additionalProperties"];

/**
 * Puts words on the fields of a schema. Schemas that it refers to by name are left alone, since other schemas may
 * refer to them too.
 *
 * @param path The path of the schema itself; empty for a whole body
 */
export function withFieldWords(schema: JSONSchema, field: FieldWords | undefined, path = ""): JSONSchema {
  if (field === undefined) return schema;
  const told: JSONSchema = { ...schema };
  for (const keyword of SAME_PATH) {
    const part = schema[keyword];
    if (Array.isArray(part)) told[keyword] = part.map((one) => isObject(one) ? withFieldWords(one, field, path) : one);
    else if (isObject(part)) told[keyword] = withFieldWords(part, field, path);
  }
  if (isObject(schema.properties)) {
    told.properties = Object.fromEntries(
      Object.entries(schema.properties).map(([name, property]) => {
        const place = path === "" ? name : `${path}.${name}`;
        return [name, isObject(property) ? withText(withFieldWords(property, field, place), field(place)) : property];
      }),
    );
  }
  return told;
}

/** Puts words on a schema, in front of those that it has. */
export function withText(schema: JSONSchema, text: string | undefined): JSONSchema {
  if (text === undefined) return schema;
  const own = typeof schema.description === "string" ? ` ${schema.description}` : "";
  return { ...schema, description: text + own };
}
