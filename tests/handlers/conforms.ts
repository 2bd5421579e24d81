import { type Schema, shapeOf } from "../../handlers/wire/zero.ts";
import { z } from "../../handlers/wire/zod.ts";

/** Where a reply differs from its schema: keys it lacks, keys the schema has not, values of another kind. */
export function differences(schema: Schema, value: unknown, place = "reply"): string[] {
  const { inner, optional, nullable } = shapeOf(schema);
  if (value === undefined) return optional ? [] : [`${place} is missing`];
  if (value === null) return nullable ? [] : [`${place} is null`];
  if (inner instanceof z.ZodUnion) {
    const each = inner.def.options.map((option) => differences(option, value, place));
    return each.find((found) => found.length === 0) ?? each[0];
  }
  if (inner instanceof z.ZodObject) return object(inner, value, place);
  if (inner instanceof z.ZodArray) {
    if (!Array.isArray(value)) return [`${place} is no list`];
    return value.flatMap((item, index) => differences(inner.def.element, item, `${place}[${index}]`));
  }
  if (inner instanceof z.ZodRecord) {
    if (typeof value !== "object") return [`${place} is no map`];
    const { valueType } = inner.def;
    return Object.entries(value).flatMap(([key, item]) => differences(valueType, item, `${place}.${key}`));
  }
  const kind = inner instanceof z.ZodString
    ? "string"
    : inner instanceof z.ZodNumber || inner instanceof z.ZodBigInt
    ? "number"
    : inner instanceof z.ZodBoolean
    ? "boolean"
    : typeof value;
  const found: string = typeof value;
  return found === kind ? [] : [`${place} is a ${found}, not a ${kind}`];
}

function object(schema: z.ZodObject, value: unknown, place: string): string[] {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [`${place} is no object`];
  const fields = value as Record<string, unknown>;
  const open = schema.def.catchall !== undefined && !(schema.def.catchall instanceof z.ZodNever);
  const unknown = Object.keys(fields).filter((key) => !(key in schema.shape) && !open);
  return [
    ...unknown.map((key) => `${place}.${key} is not in the schema`),
    ...Object.entries(schema.shape).flatMap(([key, field]) => differences(field, fields[key], `${place}.${key}`)),
  ];
}
