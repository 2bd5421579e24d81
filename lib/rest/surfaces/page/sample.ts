import { isObject } from "../components.ts";
import type { JSONSchema } from "../openapi_types.ts";

const MAX_DEPTH = 6;

/** Makes up a value that fits a schema, to begin with in a form: what is required, or everything of a small struct. */
export function sampleOf(json: unknown, schemas: Readonly<Record<string, JSONSchema>>, depth = 0): unknown {
  if (!isObject(json) || depth > MAX_DEPTH) return null;
  const inner = (part: unknown) => sampleOf(part, schemas, depth + 1);
  if (typeof json.$ref === "string") return inner(schemas[json.$ref.slice(json.$ref.lastIndexOf("/") + 1)]);
  for (const given of [json.default, json.const]) if (given !== undefined) return given;
  for (const list of [json.examples, json.enum]) if (Array.isArray(list)) return list[0];
  for (const list of [json.anyOf, json.oneOf, json.allOf]) if (Array.isArray(list)) return inner(list[0]);
  const type = Array.isArray(json.type) ? json.type.find((one) => one !== "null") : json.type;
  switch (type) {
    case "string":
      return sampleText(json);
    case "boolean":
      return false;
    case "integer":
    case "number":
      return typeof json.minimum === "number" ? json.minimum : 0;
    case "array":
      return Array.isArray(json.prefixItems) ? json.prefixItems.map(inner) : depth < 2 ? [inner(json.items)] : [];
    case "object":
      return sampleStruct(json, inner);
    default:
      return isObject(json.properties) ? sampleStruct(json, inner) : null;
  }
}

function sampleText({ format, contentEncoding }: JSONSchema): string {
  if (contentEncoding === "base64") return "aGVsbG8=";
  switch (format) {
    case "date-time":
      return "2026-01-31T12:00:00Z";
    case "date":
      return "2026-01-31";
    case "uuid":
      return "00000000-0000-4000-8000-000000000000";
    case "email":
      return "ann@example.com";
    case "uri":
      return "https://example.com/";
    default:
      return "text";
  }
}

/** A struct with more optional fields than these begins with the required ones only. */
const FEW = 8;

function sampleStruct(json: JSONSchema, inner: (part: unknown) => unknown): Record<string, unknown> {
  const fields = Object.entries(isObject(json.properties) ? json.properties : {});
  const required = Array.isArray(json.required) ? json.required : [];
  const shown = fields.length <= FEW ? fields : fields.filter(([name]) => required.includes(name));
  return Object.fromEntries(shown.map(([name, property]) => [name, inner(property)]));
}
