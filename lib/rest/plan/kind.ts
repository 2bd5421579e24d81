import { requirePart } from "../error.ts";
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
  & (
    /** `nullable` when it may be null instead, which text cannot say: it travels as JSON then. */
    | { type: "string" | "boolean" | "number" | "int64" | "uint64" | "time" | "bytes" | "null"; nullable?: true }
    /** Cannot be told, or a mixture of shapes; in path and query its text passes as it is. `unknown` when the schema says nothing. */
    | { type: "any"; unknown?: true }
    /** Scalars of several types, string among them: text passes as it is. */
    | { type: "text"; nullable?: true }
    /** Scalars of several types, none of them string. */
    | { type: "choice"; of: Kind[]; nullable?: true }
    | { type: "list"; item: Kind; items?: Kind[] }
    /** `open` is the kind of fields that it does not name, where it takes such. */
    | { type: "struct"; fields: Fields; open?: Kind | false }
    | { type: "map"; value: Kind }
    /**
     * `stream?` is one that may be left out. `media` is the content type of a stream that has one, where the definition has the part
     * `exactKinds`.
     */
    | { type: "stream" | "stream?"; media?: string }
    | { type: "chan" | "error" }
  )
  & {
    /** Whether its schema puts another value in the place of one that does not fit: what goes out then is that. */
    caught?: true;
  };

/** Whether values of this kind are streams, which have no place but a body or the end of a form. */
export function isStream({ type }: Pick<Kind, "type">): boolean {
  return /^stream/.test(type);
}

/**
 * The fields of a struct, by name.
 *
 * @example
 * ```ts
 * import type { Fields } from "./kind.ts";
 * const fields: Fields = new Map([["a", { kind: { type: "string" } }]]);
 * ```
 */
export interface Fields extends Map<string, Field> {
  /**
   * Of fields of several structs, of which a value is one: gives those of the structs that this value may be.
   *
   * @param shown What the schema has made of the value
   */
  of?(value: Readonly<Record<string, unknown>>, shown: unknown): Fields;
}

/** A field of a struct. */
export interface Field {
  kind: Kind;
  /** Its other name in tags and queries: `rest` in the schema's metadata. */
  alias?: string;
  /** Whether it must be there: a list that must, and of which nothing is written, is empty. */
  required?: boolean;
  /** The only values that it may have, as JSON Schema calls them; `[undefined]` where it may have others. */
  enum?: readonly unknown[];
}

/** A JSON Schema as its library writes it. */
export interface WrittenSchema {
  readonly [key: string]: unknown;
}

/** Tells the kind of a schema that the operation of this name has. */
export type TellKind = (schema: Schema, name: string) => Kind;

/**
 * Tells the kinds that plain JSON Schema tells.
 *
 * @throws what the schema library throws when it cannot write a JSON Schema
 * @throws {TypeError} for bigint and Date within objects and lists (of zod, whose JSON Schema is silent), types that hold themselves, intersections,
 * and unions of several structs or of scalars of several types
 */
export const plainKind: TellKind = (schema, name) => {
  const type = markerOf(schema);
  const refuse = (found: unknown): void => void requirePart(!found, name, "exactKinds");
  return type ? { type } : readKind(
    writeJSONSchema(schema, {
      unrepresentable: "any",
      override: ({ zodSchema }: { zodSchema?: { _zod: { def: { type: string } } } }) =>
        refuse(/^(bigint|date)$/.test(zodSchema?._zod.def.type!)),
    }),
    (json) => refuse(json.$ref ?? json.allOf),
    (kinds) => refuse(kinds) ?? ANY,
  );
};

/** The JSON Schema of what a schema accepts. */
export const writeJSONSchema = (
  schema: Schema,
  libraryOptions?: Record<string, unknown>,
  side: "input" | "output" = "input",
): WrittenSchema | undefined => schema["~standard"].jsonSchema?.[side]({ target: "draft-2020-12", libraryOptions });

/** The marker a schema is, if it is one. */
export const markerOf = (schema: Schema): MarkerKind | undefined =>
  (schema as Partial<Record<typeof MARKER, MarkerKind>>)[MARKER];

/** The fields of a struct. */
export const structFields = (kind: Kind): [string, Field][] => [...(kind as { readonly fields?: Fields }).fields ?? []];

/** The kind of what cannot be told. */
export const ANY: Kind = { type: "any" };

/** Reads what a kind is told by beyond plain JSON Schema; undefined where that is all. */
export type ReadMore = (json: WrittenSchema, read: (json: unknown) => Kind) => Kind | undefined | void;

/** Makes one kind of several, of which no two are the same scalar. */
export type MixKinds = (kinds: readonly Kind[]) => Kind;

/** Reads the kind of values out of their JSON Schema. */
export function readKind(json: unknown, more: ReadMore, mix: MixKinds): Kind {
  const read = (json: unknown) => readKind(json, more, mix);
  // A schema that is no object, as `true`, says nothing.
  const schema = Object(json) as WrittenSchema;
  const { type, properties, additionalProperties, prefixItems } = schema;
  const told = more(schema, read);
  if (told) return told;
  const union = listOf(schema.anyOf ?? schema.oneOf);
  const values = "const" in schema ? [schema.const] : listOf(schema.enum);
  const options = union.length
    ? union
    : type
    ? listOf(type).map((type) => ({ ...schema, type }))
    : values.map((one) => ({ type: one === null ? "null" : typeof one }));
  if (options.length) return uniteKinds(options.map(read), mix);
  const scalar = { type: String(type).replace("integer", "number") } as Kind;
  if (type === "null" || isScalar(scalar)) return scalar;
  if (type === "array") {
    return {
      type: "list",
      item: read(schema.items),
      ...prefixItems ? { items: listOf(prefixItems).map(read) } : undefined,
    };
  }
  if (type !== "object" && !properties) return ANY;
  const entries = Object.entries(Object(properties) as WrittenSchema);
  const open = (additionalProperties && read(additionalProperties)) as Kind | false | undefined;
  if (!entries.length && (open || !properties)) return { type: "map", value: open || ANY };
  return {
    type: "struct",
    open,
    fields: new Map(entries.map(([name, property]) => {
      const json = Object(property) as WrittenSchema;
      return [name, {
        kind: read(property),
        alias: typeof json.rest === "string" ? json.rest : undefined,
        required: listOf(schema.required).includes(name),
        enum: json.enum as unknown[] ?? [json.const],
      }];
    })),
  };
}

const listOf = (value: unknown): unknown[] => Array.isArray(value) ? value : [];

/** Whether values of this kind are a single text in path, query and text/plain. */
export const isScalar = ({ type }: Kind): boolean =>
  /^(string|boolean|number|u?int64|time|bytes|text|choice)$/.test(type);

/** The kind of values that are of one of several. */
export function uniteKinds(kinds: readonly Kind[], mix: MixKinds): Kind {
  const rest = kinds.filter(({ type }) => type !== "null");
  const [first] = rest;
  const isOne = rest.length < 2 || isScalar(first) && rest.every(({ type }) => type === first.type);
  const made: Kind = isOne ? first ?? { type: "null" } : mix(rest);
  return (rest.length < kinds.length || rest.some(isNullable)) && isScalar(made)
    ? { ...made, nullable: true } as Kind
    : made;
}

/** Whether a value of this kind, a scalar, may be null instead. */
export const isNullable = (kind: Kind): boolean => !!(kind as { nullable?: true }).nullable;

/** Returns the meaning of a value that must be there and of which nothing is written. */
export const absentOf = (kind: Kind): null | undefined | [] =>
  kind.type === "list" ? [] : isNullable(kind) ? null : undefined;

/** Whether a kind or one within it is what `test` looks for. */
function holds(kind: Kind, test: RegExp, seen: Set<Kind> = new Set()): boolean {
  const inner = kind.type === "choice"
    ? kind.of
    : kind.type === "list"
    ? [kind.item, ...kind.items ?? []]
    : kind.type === "map"
    ? [kind.value]
    : kind.type === "struct"
    ? [...kind.fields.values()].map((field) => field.kind)
    : [];
  return test.test(kind.type) || !seen.has(kind) && inner.some((part) => holds(part, test, seen.add(kind)));
}

/** Whether values of this kind must be converted after JSON.parse: they hold big integers, times or bytes. */
export function needsRevival(kind: Kind): boolean {
  return holds(kind, /int64|time|bytes/);
}

/** Whether writing values of this kind takes more than JSON.stringify; of what cannot be told the worst is assumed. */
export function needsReplacer(kind: Kind): boolean {
  return holds(kind, /int64|time|bytes|any/);
}
