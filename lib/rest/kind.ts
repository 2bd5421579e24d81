import { MARKER, type MarkerKind } from "./marker.ts";
import type { Schema } from "./schema.ts";

/** What a value is, as far as the transport must know to carry it. */
export type Kind =
  | { type: "string" | "boolean" | "number" | "int64" | "uint64" | "time" | "bytes" | "null" }
  /** Cannot be told, or a mixture of shapes; in path and query its text passes as it is. `unknown` when the schema says nothing. */
  | { type: "any"; unknown?: true }
  /** Scalars of several types, string among them: text passes as it is. */
  | { type: "text" }
  /** Scalars of several types, none of them string. */
  | { type: "choice"; of: Kind[] }
  | { type: "list"; item: Kind; items?: Kind[] }
  | { type: "struct"; fields: Map<string, Field> }
  | { type: "map"; value: Kind }
  | { type: "stream" | "chan" | "error" };

/** A field of a struct. */
export interface Field {
  kind: Kind;
  /** Its other name in tags and queries: `rest` in the schema's metadata. */
  alias: string | undefined;
}

/** The key under which the JSON Schema of a nested value says its marker. */
const NESTED = "x-gantry-kind";

interface JSONSchema {
  readonly [key: string]: unknown;
}

/** What zod passes to the override it is given in `libraryOptions`. */
interface ZodOverride {
  readonly zodSchema?: { readonly _zod?: { readonly def?: { readonly type?: string } } };
  readonly jsonSchema?: Record<string, unknown>;
}

// zod writes `{}` for what JSON Schema cannot say; its own type tells which marker would fit.
function nameNested({ zodSchema, jsonSchema }: ZodOverride): void {
  const type = zodSchema?._zod?.def?.type;
  if (jsonSchema === undefined) return;
  if (type === "bigint") jsonSchema[NESTED] = "int64";
  if (type === "date") jsonSchema[NESTED] = "time";
}

/**
 * Tells the kind of a schema from its JSON Schema; `unknown` when nothing is said of its type at all.
 *
 * @throws what the schema library throws when it cannot write a JSON Schema
 */
export function kindOf(schema: Schema): Kind {
  const known = markerOf(schema);
  if (known !== undefined) return { type: known };
  const json = jsonSchemaOf(schema);
  // A bare bigint or date has a marker, which says its wire form and range; within an object the schema's own will do.
  if (json === undefined || NESTED in json) return { type: "any", unknown: true };
  const kind = new Reader(json).read(json);
  return kind.type === "any" && isEmpty(json) ? { type: "any", unknown: true } : kind;
}

/** The marker a schema is, if it is one. */
export function markerOf(schema: Schema): MarkerKind | undefined {
  return (schema as Partial<Record<typeof MARKER, MarkerKind>>)[MARKER];
}

/** The JSON Schema of what a schema accepts. */
export function jsonSchemaOf(schema: Schema): JSONSchema | undefined {
  return schema["~standard"].jsonSchema?.input({
    target: "draft-2020-12",
    libraryOptions: { unrepresentable: "any", override: nameNested },
  });
}

function isEmpty(json: JSONSchema): boolean {
  return !["type", "anyOf", "oneOf", "allOf", "$ref", "enum", "const", "properties", "items"].some((key) =>
    key in json
  );
}

function isObject(value: unknown): value is JSONSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function objects(value: unknown): JSONSchema[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

class Reader {
  readonly #root: JSONSchema;
  readonly #refs = new Map<string, Kind>();

  constructor(root: JSONSchema) {
    this.#root = root;
  }

  read(json: JSONSchema): Kind {
    const nested = json[NESTED];
    if (nested === "int64" || nested === "time") return { type: nested };
    if (typeof json.$ref === "string") return this.#ref(json.$ref);
    const union = [...objects(json.anyOf), ...objects(json.oneOf)];
    if (union.length > 0) return unite(union.map((part) => this.read(part)));
    const all = objects(json.allOf);
    if (all.length > 0) return merge(all.map((part) => this.read(part)));
    if (Array.isArray(json.type)) return unite(json.type.map((type) => this.read({ ...json, type })));
    if (json.type === undefined) {
      if ("const" in json) return kindOfValue(json.const);
      if (Array.isArray(json.enum)) return unite(json.enum.map(kindOfValue));
    }
    return this.#typed(json);
  }

  #typed(json: JSONSchema): Kind {
    switch (json.type) {
      case "string":
      case "boolean":
      case "number":
      case "null":
        return { type: json.type };
      case "integer":
        return { type: "number" };
      case "array":
        return {
          type: "list",
          item: isObject(json.items) ? this.read(json.items) : { type: "any" },
          ...(Array.isArray(json.prefixItems) && { items: objects(json.prefixItems).map((item) => this.read(item)) }),
        };
      case "object":
        return this.#object(json);
      default:
        return isObject(json.properties) ? this.#object(json) : { type: "any" };
    }
  }

  #object(json: JSONSchema): Kind {
    const properties = isObject(json.properties) ? Object.entries(json.properties) : [];
    if (properties.length === 0) {
      const value = json.additionalProperties;
      return isObject(value)
        ? { type: "map", value: this.read(value) }
        : json.properties === undefined
        ? { type: "map", value: { type: "any" } }
        : { type: "struct", fields: new Map() };
    }
    const fields = new Map<string, Field>();
    for (const [name, property] of properties) {
      if (!isObject(property)) continue;
      fields.set(name, {
        kind: this.read(property),
        alias: typeof property.rest === "string" ? property.rest : undefined,
      });
    }
    return { type: "struct", fields };
  }

  #ref(ref: string): Kind {
    const known = this.#refs.get(ref);
    if (known !== undefined) return known;
    const placeholder: Kind = { type: "any" };
    this.#refs.set(ref, placeholder);
    let target: unknown = this.#root;
    for (const part of ref.replace(/^#\/?/, "").split("/").filter((part) => part !== "")) {
      target = isObject(target) ? target[part.replaceAll("~1", "/").replaceAll("~0", "~")] : undefined;
    }
    // A type that holds itself holds the placeholder, which becomes the type here.
    return isObject(target) ? Object.assign(placeholder, this.read(target)) : placeholder;
  }
}

function kindOfValue(value: unknown): Kind {
  switch (typeof value) {
    case "string":
    case "boolean":
    case "number":
      return { type: typeof value as "string" };
    default:
      return { type: value === null ? "null" : "any" };
  }
}

const SCALARS = new Set(["string", "boolean", "number", "int64", "uint64", "time", "bytes", "text", "choice"]);

/** Whether values of this kind are a single text in path, query and text/plain. */
export function isScalar(kind: Kind): boolean {
  return SCALARS.has(kind.type);
}

function unite(kinds: Kind[]): Kind {
  const rest = kinds.filter((kind) => kind.type !== "null");
  if (rest.length === 0) return { type: "null" };
  const first = rest[0];
  if (rest.length === 1) return first;
  if (rest.every((kind) => kind.type === "struct" || kind.type === "map")) return merge(rest);
  if (rest.every((kind) => kind.type === first.type) && isScalar(first)) return first;
  if (!rest.every(isScalar)) return { type: "any" };
  return rest.some((kind) => kind.type === "string" || kind.type === "text")
    ? { type: "text" }
    : { type: "choice", of: rest.flatMap((kind) => kind.type === "choice" ? kind.of : [kind]) };
}

function merge(kinds: Kind[]): Kind {
  const fields = new Map<string, Field>();
  for (const kind of kinds) {
    if (kind.type !== "struct") return kinds.length === 1 ? kind : { type: "map", value: { type: "any" } };
    for (const [name, field] of kind.fields) {
      const before = fields.get(name);
      fields.set(name, before === undefined ? field : { ...field, kind: unite([before.kind, field.kind]) });
    }
  }
  return { type: "struct", fields };
}

/** Whether values of this kind must be converted after JSON.parse: they hold big integers, times or bytes. */
export function needsRevival(kind: Kind, seen: Set<Kind> = new Set()): boolean {
  if (seen.has(kind)) return false;
  seen.add(kind);
  switch (kind.type) {
    case "int64":
    case "uint64":
    case "time":
    case "bytes":
      return true;
    case "choice":
      return kind.of.some((part) => needsRevival(part, seen));
    case "list":
      return needsRevival(kind.item, seen) || (kind.items ?? []).some((item) => needsRevival(item, seen));
    case "map":
      return needsRevival(kind.value, seen);
    case "struct":
      return [...kind.fields.values()].some((field) => needsRevival(field.kind, seen));
    default:
      return false;
  }
}

/** Whether writing values of this kind takes more than JSON.stringify; of what cannot be told the worst is assumed. */
export function needsReplacer(kind: Kind, seen: Set<Kind> = new Set()): boolean {
  if (kind.type === "any") return true;
  if (seen.has(kind)) return false;
  seen.add(kind);
  switch (kind.type) {
    case "list":
      return needsReplacer(kind.item, seen) || (kind.items ?? []).some((item) => needsReplacer(item, seen));
    case "map":
      return needsReplacer(kind.value, seen);
    case "struct":
      return [...kind.fields.values()].some((field) => needsReplacer(field.kind, seen));
    default:
      return needsRevival(kind);
  }
}
