import { isObject } from "./components.ts";
import type { JSONSchema } from "./openapi_types.ts";
import { propertyName } from "./property_name.ts";

/** The TypeScript types of the marked kinds. */
const MARKED: Record<string, string> = { int64: "bigint", uint64: "bigint", time: "Date", bytes: "Uint8Array" };
/** No schema that is meant to be read is deeper. */
const MAX_DEPTH = 32;

/** Writes a JSON Schema as a TypeScript type; references are to types of the same name. */
export function schemaType(json: unknown, depth = 0): string {
  if (json === false) return "never";
  if (!isObject(json) || depth > MAX_DEPTH) return "unknown";
  const inner = (part: unknown) => schemaType(part, depth + 1);
  const marked = MARKED[String(json["x-gantry-kind"])];
  if (marked !== undefined) return marked;
  if (typeof json.$ref === "string") return typeName(json.$ref.slice(json.$ref.lastIndexOf("/") + 1));
  if (json.format === "binary") return "File";
  if ("const" in json) return literal(json.const);
  if (Array.isArray(json.enum)) return union(json.enum.map(literal));
  for (const list of [json.anyOf, json.oneOf]) if (Array.isArray(list)) return union(list.map(inner));
  if (Array.isArray(json.allOf)) return [...new Set(json.allOf.map(inner))].map(grouped).join(" & ") || "unknown";
  if (Array.isArray(json.type)) return union(json.type.map((type) => schemaType({ ...json, type }, depth + 1)));
  switch (json.type) {
    case "string":
    case "boolean":
    case "number":
    case "null":
      return json.type;
    case "integer":
      return "number";
    case "array":
      return listType(json, inner);
    default:
      return json.type === "object" || isObject(json.properties) ? structType(json, inner) : "unknown";
  }
}

/** The types that the client's types name: its own, and those of the platform. */
const TAKEN = new Set(
  ("Answer APIError Channel ConnectOptions CallOptions Client client Bytes Outcome outcomeOf Date Error Array Record Promise Blob File Uint8Array Request Response " +
    "HeadersInit AbortSignal ReadableStream AsyncIterable AsyncIterableIterator globalThis any unknown never string number boolean " +
    "object symbol bigint void null undefined").split(" "),
);

/** A name of a component as a name of a type. */
export function typeName(name: string): string {
  const clean = name.replaceAll(/[^A-Za-z0-9_$]/g, "_").replace(/^(?=\d)/, "_");
  // A type must not take a name of the module or of TypeScript itself: it gets a `_`.
  return TAKEN.has(clean) ? `${clean}_` : clean;
}

function literal(value: unknown): string {
  return ["string", "number", "boolean"].includes(typeof value) || value === null ? JSON.stringify(value) : "unknown";
}

function union(types: readonly string[]): string {
  return [...new Set(types)].map(grouped).join(" | ") || "unknown";
}

function grouped(type: string): string {
  return / [|&] /.test(type) && !/^[{[]/.test(type) ? `(${type})` : type;
}

function listType(json: JSONSchema, inner: (part: unknown) => string): string {
  if (!Array.isArray(json.prefixItems)) return `${grouped(inner(json.items ?? {}))}[]`;
  const rest = isObject(json.items) ? [`...${grouped(inner(json.items))}[]`] : [];
  return `[${[...json.prefixItems.map(inner), ...rest].join(", ")}]`;
}

function structType(json: JSONSchema, inner: (part: unknown) => string): string {
  const required = Array.isArray(json.required) ? json.required : [];
  const fields = Object.entries(isObject(json.properties) ? json.properties : {}).map(([name, property]) => {
    const key = propertyName(name);
    return `${docOf(property)}${key}${required.includes(name) ? "" : "?"}: ${inner(property)}`;
  });
  if (fields.length > 0) return `{ ${fields.join("; ")} }`;
  const value = json.additionalProperties;
  return `Record<string, ${isObject(value) ? inner(value) : "unknown"}>`;
}

function docOf(property: unknown): string {
  const text = isObject(property) && typeof property.description === "string" ? property.description : "";
  return text === "" ? "" : `/** ${commentText(text)} */ `;
}

/** A text that may stand in a comment. */
export function commentText(text: string): string {
  return text.replaceAll("*/", "* /").replaceAll(/\s+/g, " ").trim();
}
