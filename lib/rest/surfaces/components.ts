import { CAUGHT, jsonSchemaOf } from "../plan/exact_kinds.ts";
import { markerOf } from "../plan/kind.ts";
import type { Schema } from "../plan/schema.ts";
import type { JSONSchema } from "./openapi_types.ts";

/** Keywords whose value is a schema, or a list of them. */
const SCHEMAS = new Set([
  "items",
  "prefixItems",
  "anyOf",
  "oneOf",
  "allOf",
  "not",
  "if",
  "then",
  "else",
  "contains",
  "additionalProperties",
  "propertyNames",
  "unevaluatedItems",
  "unevaluatedProperties",
]);
/** Keywords whose value holds schemas by names. */
const NAMED = new Set(["properties", "patternProperties", "dependentSchemas"]);
/** The keys that tell a reader of the document nothing, or whose information is elsewhere in it. */
const DROPPED = new Set(["$schema", "$defs", "definitions", "$id", "id", "rest", CAUGHT]);

/** The JSON Schemas of the transport's marks of nested values. */
const MARKED: Record<string, JSONSchema> = {
  int64: { type: "integer", format: "int64" },
  time: { type: "string", format: "date-time" },
  bytes: { type: "string", contentEncoding: "base64" },
};

/** The named schemas of a document: structs and what refers to itself are lifted here, everything else stands in its place. */
export class Components {
  readonly schemas: Record<string, JSONSchema> = {};
  readonly #texts = new Map<string, string>();
  readonly #lifted = new Map<string, string>();

  /**
   * The schema of a value on the wire, or a reference to it.
   *
   * @param name The name of a struct that has no `id` of its own, or that gets words here
   * @param tell Puts words on it
   */
  lift(schema: Schema, name: string, tell?: (json: JSONSchema) => JSONSchema): JSONSchema {
    const raw = rawSchema(schema);
    const plain = this.#read(raw, name);
    const told = tell && this.#tell(plain, tell);
    const json = told ?? plain;
    if (isStruct(json)) return this.#liftStruct(json, !told && typeof raw.id === "string" ? raw.id : name);
    if (json.type === "array" && isObject(json.items) && isStruct(json.items)) {
      return { ...json, items: this.#liftStruct(json.items, `${name}Item`) };
    }
    return json;
  }

  /** The schema of a value, in its place even if it is a struct. */
  inline(schema: Schema, name: string): JSONSchema {
    return this.#read(rawSchema(schema), name);
  }

  /** Resolves a reference, also one to another reference. */
  resolve(json: JSONSchema): JSONSchema {
    let found = json;
    for (let i = 0; i < 16 && typeof found.$ref === "string"; i++) {
      const target = this.schemas[found.$ref.slice("#/components/schemas/".length)];
      if (target === undefined) break;
      found = target;
    }
    return found;
  }

  /** Puts a schema under a name, or the next free one like it. */
  put(json: JSONSchema, wanted: string): JSONSchema {
    const name = this.#reserve(wanted, JSON.stringify(json));
    this.schemas[name] ??= json;
    return { $ref: `#/components/schemas/${name}` };
  }

  /** Returns a schema with words of its own; `undefined` where there are none. */
  #tell(plain: JSONSchema, tell: (json: JSONSchema) => JSONSchema): JSONSchema | undefined {
    const whole = this.resolve(plain);
    const told = tell(whole);
    return JSON.stringify(told) === JSON.stringify(whole) ? undefined : told;
  }

  #liftStruct(json: JSONSchema, wanted: string): JSONSchema {
    const text = JSON.stringify(json);
    const known = this.#lifted.get(text);
    if (known !== undefined) return { $ref: `#/components/schemas/${known}` };
    const name = this.#reserve(wanted, text);
    this.#lifted.set(text, name);
    this.schemas[name] = json;
    return { $ref: `#/components/schemas/${name}` };
  }

  /** Takes definitions out of a schema and rewrites its references to where they went. */
  #read(raw: JSONSchema, name: string): JSONSchema {
    const defs = { ...asObject(raw.definitions), ...asObject(raw.$defs) };
    const names = new Map<string, string>();
    const fresh: [name: string, def: string][] = [];
    for (const def of Object.keys(defs)) {
      // Names that only a library has given say nothing.
      const wanted = /^_/.test(def) ? `${name}Part` : def;
      const text = JSON.stringify(defs[def]);
      const before = this.#texts.size;
      const reserved = this.#reserve(wanted, /^_/.test(def) ? `${name} ${def} ${text}` : text);
      names.set(def, reserved);
      if (this.#texts.size > before) fresh.push([reserved, def]);
    }
    const refers = /"\$ref":"#(?!\/(?:\$defs|definitions)\/)/.test(JSON.stringify(raw));
    const self = refers ? this.#reserve(typeof raw.id === "string" ? raw.id : name, JSON.stringify(raw)) : undefined;
    const rewrite = (ref: string) => rewriteRef(ref, names, self);
    for (const [reserved, def] of fresh) this.schemas[reserved] = copy(asObject(defs[def]), rewrite);
    const json = copy(raw, rewrite);
    if (self === undefined) return json;
    this.schemas[self] = json;
    return { $ref: `#/components/schemas/${self}` };
  }

  #reserve(wanted: string, text: string): string {
    const clean = wanted.replaceAll(/[^A-Za-z0-9._-]+/g, "_") || "Schema";
    let name = clean;
    for (let n = 2; this.#texts.has(name) && this.#texts.get(name) !== text; n++) name = `${clean}${n}`;
    this.#texts.set(name, text);
    return name;
  }
}

function rawSchema(schema: Schema): JSONSchema {
  const marker = markerOf(schema);
  const json: JSONSchema = { ...jsonSchemaOf(schema) };
  // A stream that may be left out is of the same kind: the struct around it says what is required.
  return marker === undefined ? json : { ...json, "x-gantry-kind": marker.replace("?", "") };
}

function rewriteRef(ref: string, names: ReadonlyMap<string, string>, self: string | undefined): string {
  const [, def, rest] = /^#\/(?:\$defs|definitions)\/([^/]+)(.*)$/.exec(ref) ?? [];
  const name = def === undefined ? undefined : names.get(def.replaceAll("~1", "/").replaceAll("~0", "~"));
  if (name !== undefined) return `#/components/schemas/${name}${rest}`;
  return self !== undefined && ref.startsWith("#") ? `#/components/schemas/${self}${ref.slice(1)}` : ref;
}

/** Copies a schema, keyword by keyword: names of properties are not keywords. */
function copy(json: JSONSchema, rewrite: (ref: string) => string): JSONSchema {
  const made: JSONSchema = {};
  for (const [key, value] of Object.entries(json)) {
    if (DROPPED.has(key)) continue;
    if (key === "$ref" && typeof value === "string") made.$ref = rewrite(value);
    else if (SCHEMAS.has(key)) made[key] = copyAny(value, rewrite);
    else if (NAMED.has(key)) {
      made[key] = Object.fromEntries(
        Object.entries(asObject(value)).map(([name, inner]) => [name, copyAny(inner, rewrite)]),
      );
    } else if (!isSafeBound(key, value)) made[key] = value;
  }
  const marked = MARKED[String(made["x-gantry-kind"])];
  return marked === undefined ? made : { ...marked, ...made };
}

function copyAny(value: unknown, rewrite: (ref: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => copyAny(item, rewrite));
  return isObject(value) ? copy(value, rewrite) : value;
}

/** The bounds that libraries write for every integer. */
function isSafeBound(key: string, value: unknown): boolean {
  return (key === "minimum" && value === Number.MIN_SAFE_INTEGER) ||
    (key === "maximum" && value === Number.MAX_SAFE_INTEGER);
}

/** Whether a schema is that of an object with known fields. */
export function isStruct(json: JSONSchema): boolean {
  return isObject(json.properties) && Object.keys(json.properties).length > 0;
}

/** Whether a value is an object of JSON. */
export function isObject(value: unknown): value is JSONSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function asObject(value: unknown): JSONSchema {
  return isObject(value) ? value : {};
}
