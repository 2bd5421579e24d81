import { quoteInComment } from "./quote_in_comment.ts";
import { isObject } from "../surfaces/components.ts";
import type { JSONSchema } from "../surfaces/openapi_types.ts";

/**
 * Whether a tag can say how a query parameter is written: by its name, one of each item or field.
 *
 * @param parameter The parameter
 * @param schema Its schema, without a reference
 */
export function isQueryStyle({ style = "form", explode = true }: JSONSchema, schema: JSONSchema): boolean {
  const hasParts = isObject(schema.properties) || typesOf(schema).some((one) => one === "array" || one === "object");
  return style === "form" && (explode === true || !hasParts);
}

/** The way in which a parameter of a query is written that no tag can say, as a comment tells it; empty for other parameters. */
export function styleOf({ in: where, style = "form", explode }: JSONSchema): string {
  if (where !== "query") return "";
  const word = /^\w+$/.test(String(style)) ? style : quoteInComment(style);
  return `, of the style ${word}${explode === false ? " that is not exploded" : ""}`;
}

/** A query parameter's part of the tag in front of its value: none for an object, whose fields are parameters themselves. */
export function queryKeyOf({ name }: JSONSchema, schema: JSONSchema): string {
  return isSpread(schema) ? "" : `${encodeURIComponent(String(name))}=`;
}

function isSpread({ oneOf, anyOf, enum: values, ...schema }: JSONSchema): boolean {
  if (oneOf !== undefined || anyOf !== undefined || values !== undefined) return false;
  return typesOf(schema).includes("object") || isObject(schema.properties);
}

/** The types of a schema: one, or several in OpenAPI 3.1. */
function typesOf({ type }: JSONSchema): unknown[] {
  return Array.isArray(type) ? type : [type];
}
