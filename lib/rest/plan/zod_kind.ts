import { ANY, type Field, type Kind, type MixKinds, uniteKinds } from "./kind.ts";
import type { Schema } from "./schema.ts";
import { isZod, type ZodSchema } from "./zod_schema.ts";

/** Tells the kind of a value that JSON Schema cannot say, by the type of zod's and the class of an instance. */
type TellCarried = (type: string, of: unknown) => Kind | undefined;

/** The keys of metadata that say more than words for a reader where they become keys of the JSON Schema. */
const TELLING =
  /^(id|\$ref|type|properties|additionalProperties|items|prefixItems|required|const|enum|anyOf|oneOf|allOf)$/;

/**
 * Makes a function that tells the kind of a schema of zod from its definition, the same as its JSON Schema tells, in a fraction of the time that
 * writing this takes. It gives undefined for other schemas, and for those that hold anything not known here: a type that holds itself, an
 * intersection, a tuple, …
 */
export function zodKindTeller(mix: MixKinds, tellCarried: TellCarried): (schema: Schema) => Kind | undefined {
  // Types are made of types that others are made of, too. Undefined stands for those whose JSON Schema has to tell.
  const told = new WeakMap<ZodSchema, Kind | undefined>();
  const tell = (schema: ZodSchema | undefined, outer: readonly ZodSchema[]): Kind | undefined => {
    if (!schema || outer.includes(schema)) return undefined;
    if (told.has(schema)) return told.get(schema);
    const kind = isTold(schema) ? read(schema, [...outer, schema]) : undefined;
    // A type that holds itself is met again within: all that stands between asks its JSON Schema, too.
    told.set(schema, kind);
    return kind;
  };
  const read = (schema: ZodSchema, outer: readonly ZodSchema[]): Kind | undefined => {
    const { def, bag } = schema._zod!;
    const inner = (part: ZodSchema | undefined) => tell(part, outer);
    switch (def.type) {
      case "string":
      case "number":
      case "boolean":
      case "null":
        return { type: def.type };
      case "any":
      case "unknown":
      case "transform":
        return ANY;
      case "bigint":
      case "date":
      case "custom":
        return tellCarried(def.type, bag?.Class) ?? ANY;
      case "enum":
        return ofValues(Object.values(def.entries ?? {}));
      case "literal":
        return ofValues(def.values ?? []);
      case "optional":
      case "default":
      case "prefault":
      case "readonly":
      case "nonoptional":
        return inner(def.innerType);
      case "pipe":
        return inner(def.in?._zod?.def.type === "transform" ? def.out : def.in);
      case "nullable":
        return unite([def.innerType], inner, [{ type: "null" }]);
      case "union":
        // One of a single type is that type, and its JSON Schema another.
        return def.options && def.options.length > 1 ? unite(def.options, inner) : undefined;
      case "array": {
        const item = inner(def.element);
        return item && { type: "list", item };
      }
      case "record": {
        const isPlain = def.keyType?._zod?.def.type === "string" && !def.mode;
        const value = isPlain ? inner(def.valueType) : undefined;
        return value && { type: "map", value };
      }
      case "object":
        return readObject(schema, inner);
    }
  };
  const unite = (
    options: readonly (ZodSchema | undefined)[],
    inner: (part: ZodSchema | undefined) => Kind | undefined,
    kinds: readonly Kind[] = [],
  ): Kind | undefined => {
    const all: Kind[] = [];
    for (const option of options) {
      // Its JSON Schema may be one union of all.
      const kind = /^(union|nullable)$/.test(withinWrappers(option)?._zod?.def.type ?? "") ? undefined : inner(option);
      if (!kind) return undefined;
      all.push(kind);
    }
    return uniteKinds([...all, ...kinds], mix);
  };
  return (schema) => {
    const kind = isZod(schema) ? tell(schema, []) : undefined;
    return kind && /^(int64|time|bytes)$/.test(kind.type) && isBare(schema) ? ANY : kind;
  };
}

/** Whether a schema may be a bare bigint, Date or class, which has a marker that says its wire form and range, and is no wrapper of one. */
export function isBare(schema: Schema): boolean {
  // The words of zod, and of valibot.
  const { _zod, type } = schema as { _zod?: { def: { type: string } }; type?: unknown };
  const own = _zod?.def.type ?? type;
  return typeof own !== "string" || /^(bigint|date|custom|instance)$/.test(own);
}

/** Whether a schema writes the JSON Schema of its type, with nothing but words added. */
function isTold(schema: ZodSchema): boolean {
  if (!schema.meta || schema._zod?.toJSONSchema) return false;
  return !Object.keys(schema.meta() ?? {}).some((key) => TELLING.test(key));
}

/** The kind of one of several values. */
function ofValues(values: readonly unknown[]): Kind | undefined {
  const [type] = new Set(values.map((value) => typeof value));
  const isOne = /^(string|number|boolean)$/.test(type) && values.every((value) => typeof value === type);
  return isOne ? { type: type as "string" } : undefined;
}

function readObject(
  schema: ZodSchema,
  inner: (part: ZodSchema | undefined) => Kind | undefined,
): Kind | undefined {
  const { shape = {}, catchall } = schema._zod!.def;
  if (Object.getOwnPropertySymbols(shape).length > 0) return undefined;
  const fields = new Map<string, Field>();
  for (const [name, part] of Object.entries(shape)) {
    const kind = inner(part);
    if (!kind) return undefined;
    fields.set(name, { kind, alias: aliasOf(part), required: isRequired(part), enum: valuesOf(part) });
  }
  // A strict object says that it takes no more, as its JSON Schema does.
  if (catchall?._zod?.def.type === "never") return { type: "struct", open: false, fields };
  if (catchall === undefined) return { type: "struct", open: undefined, fields };
  const value = inner(catchall);
  if (!value) return undefined;
  return fields.size === 0 ? { type: "map", value } : { type: "struct", open: value, fields };
}

/** The only values that a field may have, which its JSON Schema calls `const` or `enum`. */
function valuesOf(schema: ZodSchema): readonly unknown[] {
  const { type, values, entries } = withinWrappers(schema)!._zod!.def;
  return (type === "literal" ? values : type === "enum" && Object.values(entries ?? {})) || [undefined];
}

/** Whether a field must be there: a transformation takes what is absent where its result may be. */
function isRequired(schema: ZodSchema): boolean {
  const { def, optin } = schema._zod!;
  const next = def.type === "pipe" && def.in?._zod?.def.type === "transform" ? def.out : undefined;
  return next ? isRequired(next) : optin === undefined;
}

/** The other name that a field's metadata gives it, or that of what it wraps. */
function aliasOf(schema: ZodSchema): string | undefined {
  for (let part: ZodSchema | undefined = schema; part; part = innerOf(part)) {
    const { rest } = part.meta?.() ?? {};
    if (rest !== undefined) return typeof rest === "string" ? rest : undefined;
  }
}

function withinWrappers(schema: ZodSchema | undefined): ZodSchema | undefined {
  let part = schema;
  for (let next = part && innerOf(part); next; next = innerOf(next)) part = next;
  return part;
}

/** The schema whose JSON Schema a wrapper takes over. */
function innerOf(schema: ZodSchema): ZodSchema | undefined {
  const { type, innerType, in: from, out } = schema._zod!.def;
  if (type === "pipe") return from?._zod?.def.type === "transform" ? out : from;
  return type === "nullable" ? undefined : innerType;
}
