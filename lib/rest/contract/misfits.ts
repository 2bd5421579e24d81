/** JSON Schemas compared: why a value that fits one may not fit the other. */
import { isObject } from "../surfaces/components.ts";
import type { JSONSchema } from "../surfaces/openapi_types.ts";
import { isPatterned, keyMisfits } from "./key_misfits.ts";

/** A schema and the named ones that it refers to. */
export interface Within {
  readonly json: unknown;
  readonly schemas: Readonly<Record<string, JSONSchema>>;
}

/** Bounds that must not become tighter; the sign tells which way that is. */
const BOUNDS: readonly [key: string, sign: 1 | -1][] = [
  ["minimum", 1],
  ["exclusiveMinimum", 1],
  ["minLength", 1],
  ["minItems", 1],
  ["minProperties", 1],
  ["maximum", -1],
  ["exclusiveMaximum", -1],
  ["maxLength", -1],
  ["maxItems", -1],
  ["maxProperties", -1],
];

const TYPES = ["null", "boolean", "integer", "number", "string", "array", "object"];

/**
 * Lists why a value that fits `source` may not fit `target`, each with its place in the value; empty when all fit. Where the schemas
 * say more than this reads (`not`, `if`), they are taken to agree.
 *
 * @param open Whether fields that the target does not know are let pass, as readers do
 */
export function listMisfits(source: Within, target: Within, open: boolean): string[] {
  return compareSchemas(source, target, { open, seen: new Set() }, "");
}

interface State {
  readonly open: boolean;
  /** Pairs of named schemas that are being compared, or were. */
  readonly seen: Set<string>;
}

function compareSchemas(source: Within, target: Within, state: State, at: string): string[] {
  const refs = [source.json, target.json].map((json) =>
    isObject(json) && typeof json.$ref === "string" ? json.$ref : ""
  );
  if (refs[0] !== "" && refs[1] !== "") {
    const pair = refs.join(" ");
    if (state.seen.has(pair)) return [];
    state.seen.add(pair);
  }
  const from = resolveSchema(source);
  const to = resolveSchema(target);
  if (Object.keys(to).length === 0 || JSON.stringify(from) === JSON.stringify(to) && refs.join("") === "") return [];
  const part = (json: unknown, { schemas }: Within): Within => ({ json, schemas });
  const some = alternativesOf(from);
  if (some !== undefined) return some.flatMap((json) => compareSchemas(part(json, source), target, state, at));
  const choices = alternativesOf(to);
  if (choices !== undefined) {
    const tried = choices.map((json) =>
      compareSchemas(source, part(json, target), { ...state, seen: new Set(state.seen) }, at)
    );
    // None fits: the alternative that misses by least says it best.
    return tried.reduce((best, list) => list.length < best.length ? list : best);
  }
  const wrong = [...typeMisfits(from, to), ...valueMisfits(from, to), ...boundMisfits(from, to)];
  if (wrong.length > 0) return wrong.map((reason) => placeReason(at, reason));
  return [
    ...fieldMisfits({ source, target, from, to, state, at }),
    ...(from.items !== undefined && to.items !== undefined
      ? compareSchemas(part(from.items, source), part(to.items, target), state, `${at}[]`)
      : []),
    ...listOf(to.prefixItems).flatMap((json, index) =>
      index in listOf(from.prefixItems)
        ? compareSchemas(part(listOf(from.prefixItems)[index], source), part(json, target), state, `${at}[${index}]`)
        : []
    ),
  ];
}

/** Two objects that are compared. */
interface Compared {
  readonly source: Within;
  readonly target: Within;
  /** The schema of `source`, which is no reference. */
  readonly from: JSONSchema;
  /** The schema of `target`, which is no reference. */
  readonly to: JSONSchema;
  readonly state: State;
  /** The place of both in the value that the whole comparison is about. */
  readonly at: string;
}

function fieldMisfits(compared: Compared): string[] {
  const { source, target, from, to, state, at } = compared;
  const theirs = propertiesOf(from);
  const known = propertiesOf(to);
  const required = listOf(from.required);
  const names = listOf(to.required).filter((name) => typeof name === "string");
  const missing = names.filter((name) => !required.includes(name));
  const foreign = state.open || to.additionalProperties !== false
    ? []
    : Object.keys(theirs).filter((name) => !Object.hasOwn(known, name) && !isPatterned(to, name));
  return [
    ...missing.map((name) =>
      placeReason(fieldPath(at, name), Object.hasOwn(theirs, String(name)) ? "may be left out" : "is missing")
    ),
    ...foreign.map((name) => placeReason(fieldPath(at, name), "is not known")),
    ...Object.entries(theirs).filter(([name]) => Object.hasOwn(known, name)).flatMap(([name, json]) =>
      compareSchemas(
        { json, schemas: source.schemas },
        { json: known[name], schemas: target.schemas },
        state,
        fieldPath(at, String(name)),
      )
    ),
    ...otherFieldMisfits(compared),
  ];
}

/** Compares the fields that one of the schemas does not name: those of a record, and those of a struct that takes more than it names. */
function otherFieldMisfits({ source, target, from, to, state, at }: Compared): string[] {
  const theirs = propertiesOf(from);
  const known = propertiesOf(to);
  const taken = to.additionalProperties;
  // A struct that does not say is sent with any more fields, which a server passes over; results are cut to the fields that are named.
  const others = from.additionalProperties ?? !state.open;
  const compare = (json: unknown, other: unknown, name: string) =>
    compareSchemas(
      { json, schemas: source.schemas },
      { json: other, schemas: target.schemas },
      state,
      fieldPath(at, name),
    );
  if (taken === false && others !== false && !state.open) {
    return [placeReason(at, "may have fields that are not known")];
  }
  return [
    ...keyMisfits(
      from,
      to,
      others,
      compare,
      state.open ? undefined : (name) => placeReason(fieldPath(at, name), "is not known"),
    ),
    ...(isObject(taken)
      ? [
        ...Object.keys(theirs).filter((name) => !Object.hasOwn(known, name) && !isPatterned(to, name))
          .flatMap((name) => compare(theirs[name], taken, name)),
        ...(others !== false ? compare(others, taken, "*") : []),
      ]
      : []),
    // Of fields that may be anything, a new name for one is no news.
    ...(isObject(others) && Object.keys(others).length > 0
      ? Object.keys(known).filter((name) => !Object.hasOwn(theirs, name)).flatMap((name) =>
        compare(others, known[name], name)
      )
      : []),
  ];
}

function propertiesOf({ properties }: JSONSchema): JSONSchema {
  return isObject(properties) ? properties : {};
}

function typeMisfits(from: JSONSchema, to: JSONSchema): string[] {
  const allowed = typesOf(to);
  const foreign = typesOf(from).filter((type) =>
    !allowed.includes(type) && !(type === "integer" && allowed.includes("number"))
  );
  if (foreign.length === 0) return [];
  const had = typesOf(from).length === TYPES.length ? "anything" : typesOf(from).join(" or ");
  return [`is ${had}, not ${allowed.join(" or ")}`];
}

function valueMisfits(from: JSONSchema, to: JSONSchema): string[] {
  const wrong: string[] = [];
  const allowed = valuesOf(to);
  if (allowed !== undefined) {
    const known = new Set(allowed.map((value) => JSON.stringify(value)));
    const given = valuesOf(from)?.map((value) => JSON.stringify(value));
    if (given === undefined) wrong.push(`may be other than ${[...known].join(", ")}`);
    else {
      const foreign = given.filter((value) => !known.has(value));
      if (foreign.length > 0) wrong.push(`may be ${foreign.join(", ")}`);
    }
  }
  for (const key of ["format", "pattern", "multipleOf", "contentEncoding"]) {
    if (to[key] !== undefined && from[key] !== to[key] && valuesOf(from) === undefined) {
      wrong.push(`need not have ${key} ${JSON.stringify(to[key])}`);
    }
  }
  return wrong;
}

function boundMisfits(from: JSONSchema, to: JSONSchema): string[] {
  return BOUNDS.flatMap(([key, sign]) => {
    const [had, has] = [from[key], to[key]];
    if (typeof has !== "number" || valuesOf(from) !== undefined) return [];
    if (typeof had === "number" && (had - has) * sign >= 0) return [];
    return [typeof had === "number" ? `has ${key} ${had}, not ${has}` : `has no ${key}, not ${has}`];
  });
}

/** The schema that a reference stands for; of `allOf` what its parts say together. */
function resolveSchema({ json, schemas }: Within): JSONSchema {
  let found = json;
  for (let i = 0; i < 16 && isObject(found) && typeof found.$ref === "string"; i++) {
    found = schemas[found.$ref.slice(found.$ref.lastIndexOf("/") + 1)];
  }
  if (!isObject(found)) return {};
  if (!Array.isArray(found.allOf)) return found;
  const { allOf, ...own } = found;
  const parts: JSONSchema[] = [...allOf.map((part) => resolveSchema({ json: part, schemas })), own];
  return {
    ...Object.assign({}, ...parts),
    ...(parts.some(({ properties }) => isObject(properties)) && {
      properties: Object.assign({}, ...parts.map(({ properties }) => properties)),
      required: parts.flatMap(({ required }) => listOf(required)),
    }),
  };
}

function alternativesOf(json: JSONSchema): unknown[] | undefined {
  const list = json.anyOf ?? json.oneOf;
  return Array.isArray(list) && list.length > 0 ? list : undefined;
}

function typesOf({ type, properties, items, ...json }: JSONSchema): string[] {
  if (Array.isArray(type)) return type.map(String);
  if (typeof type === "string") return [type];
  const values = valuesOf(json);
  if (values !== undefined) return [...new Set(values.map(typeOf))];
  return isObject(properties) ? ["object"] : items !== undefined ? ["array"] : TYPES;
}

function typeOf(value: unknown): string {
  return value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
}

function valuesOf(json: JSONSchema): unknown[] | undefined {
  return "const" in json ? [json.const] : Array.isArray(json.enum) ? json.enum : undefined;
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function fieldPath(at: string, name: unknown): string {
  return at === "" ? String(name) : `${at}.${name}`;
}

function placeReason(at: string, reason: string): string {
  return at === "" ? reason : `"${at}" ${reason}`;
}
