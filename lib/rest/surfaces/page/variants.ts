import { isObject, isStruct } from "../components.ts";
import type { JSONSchema } from "../openapi_types.ts";

/** The named schemas of a document. */
export type Schemas = Readonly<Record<string, JSONSchema>>;

/** One possibility of a union. */
export interface Variant {
  /** Its schema, with a reference resolved. */
  readonly json: JSONSchema;
  /** The name of its type, if it has one. */
  readonly name: string | undefined;
  /** The field whose constant tells it from the others, and that constant. */
  readonly tag: readonly [field: string, value: unknown] | undefined;
}

/** Returns the name that a schema refers to. */
export function referredName(json: JSONSchema): string | undefined {
  return typeof json.$ref === "string" ? json.$ref.slice(json.$ref.lastIndexOf("/") + 1) : undefined;
}

/** Resolves a reference, also one to another reference; one that leads nowhere stays as it is. */
export function resolveSchema(json: JSONSchema, schemas: Schemas): JSONSchema {
  let found = json;
  for (let i = 0; i < 16; i++) {
    const name = referredName(found);
    if (name === undefined || !Object.hasOwn(schemas, name)) break;
    found = schemas[name];
  }
  return found;
}

/** Returns the possibilities of a union of which at least one is a struct, `null` left out; undefined for any other schema. */
export function variantsOf(json: JSONSchema, schemas: Schemas): Variant[] | undefined {
  const list = possibilitiesOf(json).filter(({ type }) => type !== "null");
  const resolved = list.map((part) => mergeParts(resolveSchema(part, schemas), schemas));
  if (!resolved.some(isStruct)) return undefined;
  const field = discriminatorOf(resolved);
  return resolved.map((part, index) => ({
    json: part,
    name: referredName(list[index]),
    tag: field === undefined ? undefined : [field, constantOf(part, field)] as const,
  }));
}

/** Returns the parts of a union, and those of unions that stand in their places. */
function possibilitiesOf(json: JSONSchema, depth = 0): JSONSchema[] {
  const list = [json.oneOf, json.anyOf].find(Array.isArray)?.filter(isObject) ?? [];
  return list.flatMap((part) => {
    const inner = depth < 8 ? possibilitiesOf(part, depth + 1) : [];
    return inner.length > 0 ? inner : [part];
  });
}

/** Merges the fields of an intersection's parts; any other schema stays as it is. */
export function mergeParts(json: JSONSchema, schemas: Schemas): JSONSchema {
  if (!Array.isArray(json.allOf)) return json;
  const parts = json.allOf.filter(isObject).map((part) => resolveSchema(part, schemas));
  if (parts.length === 0 || !parts.every(isStruct)) return json;
  const { allOf: _, ...rest } = json;
  return {
    ...rest,
    type: "object",
    properties: Object.fromEntries(parts.flatMap(({ properties }) => Object.entries(properties as JSONSchema))),
    required: parts.flatMap(({ required }) => Array.isArray(required) ? required : []),
  };
}

/** Returns the field that every struct of a union holds with a constant of its own. */
function discriminatorOf(parts: readonly JSONSchema[]): string | undefined {
  const [first] = parts;
  const names = isObject(first.properties) ? Object.keys(first.properties) : [];
  return names.find((name) => {
    const values = parts.map((part) => constantOf(part, name));
    return !values.includes(undefined) && new Set(values).size === values.length;
  });
}

function constantOf({ properties }: JSONSchema, name: string): unknown {
  const property = isObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined;
  return isObject(property) ? property.const : undefined;
}
