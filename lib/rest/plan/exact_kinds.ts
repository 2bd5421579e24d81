import {
  ANY,
  type Field,
  type Fields,
  isScalar,
  type Kind,
  markerOf,
  readKind,
  type ReadMore,
  type TellKind,
  uniteKinds,
  writeJSONSchema,
  type WrittenSchema,
} from "./kind.ts";
import { streamMarkerOf } from "./marker.ts";
import type { Schema } from "./schema.ts";
import { isBare, zodKindTeller } from "./zod_kind.ts";
import { isCatch, isFileClass, type ZodSchema } from "./zod_schema.ts";

/** The key under which the JSON Schema of a nested value says its marker. */
const NESTED = "x-gantry-kind";

/** The key under which the JSON Schema of a value says that another takes its place where it does not fit. */
export const CAUGHT = "x-gantry-caught";

/** The key for a part that JSON Schema cannot say, of this type in its library's words, or of this class. */
function nested(type: unknown, of?: unknown): Record<string, string> | undefined {
  const kind = type === "bigint" ? "int64" : type === "date" ? "time" : of === Uint8Array && "bytes";
  return kind ? { [NESTED]: kind } : undefined;
}

/** The JSON Schema of a file, where the class of a value says that it is one. */
function fileOf(of: unknown): Record<string, string> | undefined {
  return isFileClass(of) ? { type: "string", format: "binary" } : undefined;
}

/** The argument that zod, valibot and arktype pass to the functions in `libraryOptions`. */
interface Part {
  readonly zodSchema?: Required<Pick<ZodSchema, "_zod">>;
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
    void Object.assign(
      jsonSchema!,
      nested(zodSchema?._zod.def.type, zodSchema?._zod.bag?.Class),
      fileOf(zodSchema?._zod.bag?.Class),
      zodSchema && isCatch(zodSchema) && { [CAUGHT]: true },
    ),
  overrideSchema: ({ valibotSchema: { type, class: of } = { type: "" } }: Part) =>
    nested(type, of) ?? fileOf(/^(file|blob)$/.test(type) ? Blob : of),
  fallback: {
    domain: ({ domain, base }: Part) => nested(domain) ?? base,
    date: () => nested("date"),
    proto: ({ proto, base }: Part) => nested("", proto) ?? fileOf(proto) ?? base,
  },
};

/** Reads the kinds of what `nested` has written, of types that hold themselves and of intersections. */
function readMore(root: WrittenSchema | undefined): ReadMore {
  const refs = new Map<unknown, Kind>();
  return (json, read) => {
    const { $ref, allOf, [CAUGHT]: caught, ...rest } = json;
    if (caught) return { ...read(rest), caught: true };
    // Only `nested` writes this key.
    if (json[NESTED]) return { type: json[NESTED] as "int64" };
    if (allOf && !$ref && !json.anyOf && !json.oneOf) return mergeKinds(Array.from(allOf as unknown[], read), true);
    if (!$ref) return undefined;
    const known = refs.get($ref);
    if (known) return known;
    const placeholder: Kind = { type: "any" };
    refs.set($ref, placeholder);
    const target = String($ref).split("/").slice(1).reduce<unknown>(
      (within, part) => (Object(within) as WrittenSchema)[part.replaceAll("~1", "/").replaceAll("~0", "~")],
      root,
    );
    // A type that holds itself holds the placeholder, which becomes the type here.
    return Object.assign(placeholder, read(target));
  };
}

/** The kind of values that are of one of several kinds. */
function mixKinds(kinds: readonly Kind[]): Kind {
  if (kinds.every(({ type }) => /^(struct|map)$/.test(type))) return mergeKinds(kinds, false);
  // Not ANY, which says that nothing is said.
  if (!kinds.every(isScalar)) return { type: "any" };
  return kinds.some(({ type }) => /^(string|text)$/.test(type))
    ? { type: "text" }
    : { type: "choice", of: kinds.flatMap((kind) => kind.type === "choice" ? kind.of : kind) };
}

/** One struct of several: of those a value is `every` one, or any one. */
function mergeKinds(kinds: readonly Kind[], every: boolean): Kind {
  if (kinds.length === 1) return kinds[0];
  const fields = new Map<string, Field>();
  let open: Kind | false | undefined;
  for (const kind of kinds) {
    if (kind.type !== "struct") return { type: "map", value: ANY };
    // Which of several takes a field that none of them names cannot be told.
    open = open && kind.open && open !== kind.open ? ANY : open || kind.open;
    for (const [name, field] of kind.fields) {
      const before = fields.get(name);
      const required = every && field.required;
      const values = isAnyValue(before?.enum) ? field.enum : before?.enum;
      const kind = before ? uniteKinds([before.kind, field.kind], mixKinds) : field.kind;
      // Of a struct that is any one of several, their own fields say what tells them apart.
      fields.set(name, { ...field, kind, required, enum: every ? values : [undefined] });
    }
  }
  return { type: "struct", fields: every ? fields : new UnitedFields(fields, kinds), open };
}

/** Whether a field may have other values than those which are listed. */
function isAnyValue(values: readonly unknown[] | undefined): boolean {
  return !Array.isArray(values) || values[0] === undefined;
}

/** The fields of several structs together. */
class UnitedFields extends Map<string, Field> implements Fields {
  /** In the order of the union. */
  readonly structs: readonly Fields[];

  constructor(fields: Map<string, Field>, kinds: readonly Kind[]) {
    super(fields);
    this.structs = kinds.flatMap((kind) => {
      if (kind.type !== "struct") return [];
      return kind.fields instanceof UnitedFields ? kind.fields.structs : [kind.fields];
    });
  }

  /**
   * Structs are told apart by fields that must be there, and by those that can have certain values only. Where a value may be of several, it may have
   * the fields of each; where it seems to be of none, of all. Every field that the schema itself has left stays: it knows best, and
   * fills in, catches and changes values before it looks at them.
   */
  of(value: Readonly<Record<string, unknown>>, shown: unknown): Fields {
    const fits = this.structs.filter((fields) =>
      [...fields].every(([name, { required, enum: values }]) =>
        value[name] === undefined ? !required : isAnyValue(values) || values!.includes(value[name])
      )
    );
    const left = shown === value ? [] : Object.keys(Object(shown)).filter((name) => this.has(name));
    const [one, ...more] = fits;
    if (one === undefined) return this;
    if (more.length === 0 && left.every((name) => one.has(name))) return one;
    const names = new Set([...fits.flatMap((fields) => [...fields.keys()]), ...left]);
    return new Map([...this].filter(([name]) => names.has(name)));
  }
}

/** The kinds that were told before: plan and check ask the same, and libraries take their time to write a JSON Schema. */
const told = /* @__PURE__ */ new WeakMap<Schema, Kind>();

/**
 * Tells the kind of a schema from its JSON Schema; `unknown` when nothing is said of its type at all.
 *
 * @throws what the schema library throws when it cannot write a JSON Schema
 */
export function kindOf(schema: Schema): Kind {
  const known = markerOf(schema);
  if (known === "stream" || known === "stream?") return { type: known, media: streamMarkerOf(schema)?.type };
  if (known) return { type: known };
  let kind = told.get(schema);
  if (!kind) {
    kind = zodKind(schema) ?? readJSONSchema(schema);
    if (kind === ANY) kind = { type: "any", unknown: true };
    told.set(schema, kind);
  }
  return kind;
}

const zodKind = /* @__PURE__ */ zodKindTeller(mixKinds, (type, of) => {
  const kind = nested(type, of)?.[NESTED];
  if (kind) return { type: kind as "int64" };
  return fileOf(of) && { type: "string" };
});

/** Reads the kind of a schema out of its JSON Schema. */
function readJSONSchema(schema: Schema): Kind {
  const json = jsonSchemaOf(schema);
  // A bare bigint or date has a marker, which says its wire form and range; within an object the schema's own will do.
  return json?.[NESTED] && isBare(schema) ? ANY : readKind(json, readMore(json), mixKinds);
}

/** Whether a schema is a bare bigint, Date or bytes of its library's, which would be carried as something else. */
export function needsMarker(schema: Schema): boolean {
  return jsonSchemaOf(schema)?.[NESTED] !== undefined && isBare(schema);
}

/** The kind of a schema; what cannot be told is anything. */
export function knownKind(schema: Schema): Kind {
  try {
    return kindOf(schema);
  } catch {
    return { type: "any" };
  }
}

/** The JSON Schema of what a schema accepts. */
export function jsonSchemaOf(schema: Schema): WrittenSchema | undefined {
  return writeJSONSchema(schema, LIBRARIES);
}

/**
 * Tells the kinds of bigint, Date and bytes within objects and lists too, by the words of zod, valibot and arktype, which {@linkcode exactJSON}
 * carries, and those of types that hold themselves and of intersections: the part of a definition with any of these.
 *
 * @example
 * ```ts
 * import { apiWith, exactJSON, exactKinds, handlerWith, implement, rest } from "../server.ts";
 * import { z } from "npm:zod@4.6.7";
 * const Big = z.object({ n: z.bigint() });
 * const next = apiWith({ kinds: exactKinds }, "x", { Next: rest("POST /next", [Big], [Big]) });
 * const serve = handlerWith({ codecs: [exactJSON] }, null, implement(next, { Next: ({ n }) => ({ n: n + 1n }) }));
 * const headers = { "content-type": "application/json" };
 * const response = await serve(new Request("http://localhost/next", { method: "POST", body: '{"n":1}', headers }));
 * console.assert(await response.text() === '{"n":2}');
 * ```
 */
export const exactKinds: TellKind = knownKind;
