import { MARKER, type MarkerKind } from "./marker.ts";
import type { Schema } from "./schema.ts";

/**
 * The kind of a value, as far as the transport must know it to carry the value.
 *
 * @example
 * ```ts
 * import type { Kind } from "../mod.ts";
 * const words: Kind = { type: "list", item: { type: "string" } };
 * ```
 */
export type Kind =
  /** `nullable` when it may be null instead, which text cannot say: it travels as JSON then. */
  | { type: "string" | "boolean" | "number" | "int64" | "uint64" | "time" | "bytes" | "null"; nullable?: true }
  /** Cannot be told, or a mixture of shapes; in path and query its text passes as it is. `unknown` when the schema says nothing. */
  | { type: "any"; unknown?: true }
  /** Scalars of several types, string among them: text passes as it is. */
  | { type: "text"; nullable?: true }
  /** Scalars of several types, none of them string. */
  | { type: "choice"; of: Kind[]; nullable?: true }
  | { type: "list"; item: Kind; items?: Kind[] }
  /** `open` when it takes fields that it does not name, `united` when its fields are those of several structs, of which a value is one. */
  | { type: "struct"; fields: Map<string, Field>; open?: boolean; united?: boolean }
  | { type: "map"; value: Kind }
  | { type: "stream" | "chan" | "error" };

/** A field of a struct. */
export interface Field {
  kind: Kind;
  /** Its other name in tags and queries: `rest` in the schema's metadata. */
  alias?: string;
  /** Whether it must be there: a list that must, and of which nothing is written, is empty. */
  required?: boolean;
}

/** The key under which the JSON Schema of a nested value says its marker. */
const NESTED = "x-gantry-kind";

interface JSONSchema {
  readonly [key: string]: unknown;
}

/** The key for a part that JSON Schema cannot say, of this type in its library's words, or of this class. */
function nested(type: unknown, of?: unknown): Record<string, string> | undefined {
  const kind = type === "bigint" ? "int64" : type === "date" ? "time" : of === Uint8Array && "bytes";
  return kind ? { [NESTED]: kind } : undefined;
}

/** The argument that zod, valibot and arktype pass to the functions in `libraryOptions`. */
interface Part {
  readonly zodSchema?: {
    readonly _zod: { readonly def: { readonly type: string }; readonly bag: { Class?: unknown } };
  };
  readonly jsonSchema?: Record<string, unknown>;
  readonly valibotSchema?: { readonly type: string; readonly class?: unknown };
  readonly domain?: string;
  readonly proto?: unknown;
  readonly base?: Record<string, unknown>;
}

/** Has each library say which marker would fit where it would write nothing, or throw. */
const LIBRARIES = {
  unrepresentable: "any",
  override: ({ zodSchema, jsonSchema }: Part) =>
    void Object.assign(jsonSchema!, nested(zodSchema?._zod.def.type, zodSchema?._zod.bag.Class)),
  overrideSchema: ({ valibotSchema }: Part) => nested(valibotSchema?.type, valibotSchema?.class),
  fallback: {
    domain: ({ domain, base }: Part) => nested(domain) ?? base,
    date: () => nested("date"),
    proto: ({ proto, base }: Part) => nested("", proto) ?? base,
  },
};

/** The kinds that were told before: plan and check ask the same, and libraries take their time to write a JSON Schema. */
const told = new WeakMap<Schema, Kind>();

/**
 * Tells the kind of a schema from its JSON Schema; `unknown` when nothing is said of its type at all.
 *
 * @throws what the schema library throws when it cannot write a JSON Schema
 */
export function kindOf(schema: Schema): Kind {
  const known = markerOf(schema);
  if (known) return { type: known };
  let kind = told.get(schema);
  if (!kind) {
    const json = jsonSchemaOf(schema);
    // A bare bigint or date has a marker, which says its wire form and range; within an object the schema's own will do.
    kind = !json || json[NESTED] ? ANY : read(json, json, new Map());
    if (kind === ANY) kind = { type: "any", unknown: true };
    told.set(schema, kind);
  }
  return kind;
}

/** Whether a schema is a bare bigint, Date or bytes of its library's, which would be carried as something else. */
export function needsMarker(schema: Schema): boolean {
  return jsonSchemaOf(schema)?.[NESTED] !== undefined;
}

/** The kind of a schema; what cannot be told is anything. */
export function knownKind(schema: Schema): Kind {
  try {
    return kindOf(schema);
  } catch {
    return { type: "any" };
  }
}

/** The marker a schema is, if it is one. */
export function markerOf(schema: Schema): MarkerKind | undefined {
  return (schema as Partial<Record<typeof MARKER, MarkerKind>>)[MARKER];
}

/** The JSON Schema of what a schema accepts. */
export function jsonSchemaOf(schema: Schema): JSONSchema | undefined {
  return schema["~standard"].jsonSchema?.input({
    target: "draft-2020-12",
    libraryOptions: LIBRARIES,
  });
}

/** The kind of a schema that says nothing. */
export const ANY: Kind = { type: "any" };

const isObject = (value: unknown): value is JSONSchema =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const list = (value: unknown): unknown[] => Array.isArray(value) ? value : [];

/** Reads a JSON Schema that is part of `root`; `refs` holds what it refers to. */
function read(json: unknown, root: JSONSchema, refs: Map<unknown, Kind>): Kind {
  if (!isObject(json)) return ANY;
  const all = (schemas: unknown) => list(schemas).map((part) => read(part, root, refs));
  const { type, $ref, properties, items, additionalProperties, prefixItems } = json;
  // Only `nested` writes this key.
  if (json[NESTED]) return { type: json[NESTED] as "int64" };
  if ($ref) return readRef($ref, root, refs);
  const union = all(json.anyOf ?? json.oneOf);
  if (union.length > 0) return unite(union);
  if (json.allOf) return merge(all(json.allOf), true);
  if (Array.isArray(type)) return unite(all(type.map((type) => ({ ...json, type }))));
  const values = "const" in json ? [json.const] : list(json.enum);
  if (!type && values.length > 0) {
    return unite(all(values.map((one) => ({ type: one === null ? "null" : typeof one }))));
  }
  if (/^(string|boolean|number|integer|null)$/.test(String(type))) {
    return { type: String(type).replace("integer", "number") as "string" };
  }
  if (type === "array") {
    return { type: "list", item: read(items, root, refs), ...prefixItems ? { items: all(prefixItems) } : undefined };
  }
  if (type !== "object" && !properties) return ANY;
  const entries = Object.entries(Object(properties) as JSONSchema);
  if (entries.length === 0 && (isObject(additionalProperties) || !properties)) {
    return { type: "map", value: read(additionalProperties, root, refs) };
  }
  return {
    type: "struct",
    open: isObject(additionalProperties) || additionalProperties === true,
    fields: new Map(entries.map(([name, property]) => {
      const { rest } = Object(property) as JSONSchema;
      const alias = typeof rest === "string" ? rest : undefined;
      return [name, { kind: read(property, root, refs), alias, required: list(json.required).includes(name) }];
    })),
  };
}

function readRef(ref: unknown, root: JSONSchema, refs: Map<unknown, Kind>): Kind {
  const known = refs.get(ref);
  if (known) return known;
  const placeholder: Kind = { type: "any" };
  refs.set(ref, placeholder);
  const target = String(ref).split("/").slice(1).reduce<unknown>(
    (within, part) => (Object(within) as JSONSchema)[part.replaceAll("~1", "/").replaceAll("~0", "~")],
    root,
  );
  // A type that holds itself holds the placeholder, which becomes the type here.
  return Object.assign(placeholder, read(target, root, refs));
}

/** Whether values of this kind are a single text in path, query and text/plain. */
export function isScalar({ type }: Kind): boolean {
  return /^(string|boolean|number|u?int64|time|bytes|text|choice)$/.test(type);
}

function unite(kinds: Kind[]): Kind {
  const rest = kinds.filter(({ type }) => type !== "null");
  const made = uniteRest(rest);
  return kinds.some((kind) => kind.type === "null" || isNullable(kind)) && isScalar(made)
    ? { ...made, nullable: true } as Kind
    : made;
}

/** Whether a value of this kind, a scalar, may be null instead. */
export function isNullable(kind: Kind): boolean {
  return (kind as { nullable?: true }).nullable === true;
}

/** Returns the meaning of a value that must be there and of which nothing is written. */
export function absentOf(kind: Kind): null | undefined | [] {
  return kind.type === "list" ? [] : isNullable(kind) ? null : undefined;
}

function uniteRest(rest: Kind[]): Kind {
  const [first] = rest;
  if (!first) return { type: "null" };
  if (rest.length === 1) return first;
  if (rest.every(({ type }) => /^(struct|map)$/.test(type))) return merge(rest, false);
  // Not ANY, which says that nothing is said.
  if (!rest.every(isScalar)) return { type: "any" };
  if (rest.every(({ type }) => type === first.type)) return first;
  return rest.some(({ type }) => /^(string|text)$/.test(type))
    ? { type: "text" }
    : { type: "choice", of: rest.flatMap((kind) => kind.type === "choice" ? kind.of : kind) };
}

/** One struct of several: of those a value is `every` one, or any one. */
function merge(kinds: Kind[], every: boolean): Kind {
  if (kinds.length === 1) return kinds[0];
  const fields = new Map<string, Field>();
  let open: boolean | undefined;
  for (const kind of kinds) {
    if (kind.type !== "struct") return { type: "map", value: ANY };
    open ||= kind.open;
    for (const [name, field] of kind.fields) {
      const before = fields.get(name);
      const required = every && field.required;
      fields.set(name, { ...field, required, ...before && { kind: unite([before.kind, field.kind]) } });
    }
  }
  return { type: "struct", fields, open, united: !every };
}

/** Whether a kind or one within it is what `test` looks for. */
function holds(kind: Kind, test: RegExp, seen: Set<Kind> = new Set()): boolean {
  if (test.test(kind.type)) return true;
  if (seen.has(kind)) return false;
  seen.add(kind);
  const inner = kind.type === "choice"
    ? kind.of
    : kind.type === "list"
    ? [kind.item, ...kind.items ?? []]
    : kind.type === "map"
    ? [kind.value]
    : kind.type === "struct"
    ? [...kind.fields.values()].map((field) => field.kind)
    : [];
  return inner.some((part) => holds(part, test, seen));
}

/** Whether values of this kind must be converted after JSON.parse: they hold big integers, times or bytes. */
export function needsRevival(kind: Kind): boolean {
  return holds(kind, /int64|time|bytes/);
}

/** Whether writing values of this kind takes more than JSON.stringify; of what cannot be told the worst is assumed. */
export function needsReplacer(kind: Kind): boolean {
  return holds(kind, /int64|time|bytes|any/);
}
