import { ANY, type Kind, writeJSONSchema } from "../plan/kind.ts";
import { carriedSchema } from "../plan/instance.ts";
import { isRecord, put } from "../codecs/record.ts";
import type { Plan } from "../plan/plan_types.ts";
import type { ServerParts } from "./core_server.ts";
import { describeIssues, type Schema } from "../plan/schema.ts";
import { settleWith } from "../plan/settle_with.ts";

/** Tells of a value that fits its schema whether nothing is to be left out of it. */
export type IsExact = (value: unknown) => boolean;

/** Tells of a value that it fits its schema, which would neither change it, nor add or leave out any of it. `false` tells nothing. */
export type IsPlain = (value: unknown) => boolean;

/** Makes the test of values of a kind, where there is one; `same` is their schema where it changes none of them, but for defaults that it adds. */
export type MakeExactness = (kind: Kind, same: Schema | undefined) => IsExact | undefined;

/** Checks a value against its schema and cuts it to that; a promise where the schema is asynchronous. */
export type CheckValue = (value: unknown) => unknown;

/**
 * Makes the check of a result, or of a channel's item: what does not fit throws, and fields that the schema does not have
 * are left out. The value that the function returned goes out, not the one that the schema makes of it: the client's side transforms.
 *
 * @throws {TypeError} from the check, for a value that does not fit
 */
export function checkOf(
  plan: Pick<Plan, "name">,
  schema: Schema,
  kind: Kind,
  parts: Pick<ServerParts, "exactness" | "quick"> = {},
): CheckValue {
  const standard = carriedSchema(schema)["~standard"];
  const isSame = hasSameOutput(schema);
  const isExact = parts.exactness?.(kind, isSame ? schema : undefined);
  const isPlain = parts.quick?.test(schema);
  return (value) => {
    if (isPlain?.(value)) return value;
    return settleWith(standard.validate(value), (validated) => {
      if (validated.issues) {
        throw new TypeError(
          `Answer "${plan.name}": the result does not fit its schema: ${describeIssues(validated.issues)}`,
        );
      }
      // Most values have nothing to cut: to find that out takes a fraction of the time of a copy.
      return isExact?.(value) ? value : cutValue(value, kind, validated.value, isSame);
    });
  };
}

/**
 * Whether the values a schema makes have the shape of those it accepts, as far as its JSON Schemas tell, so that it transforms none of them.
 * Of one that JSON Schema cannot say the worst is assumed.
 */
function hasSameOutput(schema: Schema): boolean {
  const shape = (side: "input" | "output") =>
    JSON.stringify(
      writeJSONSchema(schema, undefined, side),
      (key, value) => /^(required|additionalProperties|default)$/.test(key) ? undefined : value,
    );
  try {
    return shape("input") === shape("output");
  } catch {
    return false;
  }
}

/** The parts of kinds that hold others. */
interface Held extends Omit<Struct, "type">, Omit<Mapped, "type">, Omit<Listed, "type"> {
  readonly caught: true;
}
type Struct = Extract<Kind, { type: "struct" }>;
type Mapped = Extract<Kind, { type: "map" }>;
type Listed = Extract<Kind, { type: "list" }>;

/** Leaves out fields that are not in `kind`, nor in what the schema made of the value, `shown`, where that `isSame` in shape. */
function cutValue(value: unknown, kind: Kind, shown: unknown, isSame: boolean): unknown {
  const { fields: all, open, value: values, item: each, items, caught } = kind as Partial<Held>;
  if (caught && value !== undefined) value = shown;
  const parts = Object(shown) as Record<string | number, unknown>;
  if (Array.isArray(value)) {
    return each || Array.isArray(shown)
      ? value.map((one, i) => cutValue(one, items?.[i] ?? each ?? ANY, parts[i], isSame))
      : value;
  }
  const isShown = isSame && isRecord(shown);
  // A value that the schema took as it is, an instance of a class of its own for one, is its own text.
  if (!isRecord(value) || !(all || values) && (!isShown || shown === value)) return value;
  const fields = all?.of?.(value, shown) ?? all;
  const made: Record<string, unknown> = {};
  for (const key of Object.keys(isShown ? parts : value)) {
    const inner = fields?.get(key)?.kind ?? open ?? values ?? (all ? undefined : ANY);
    if (!inner) continue;
    const item = key in value ? cutValue(value[key], inner, parts[key], isSame) : parts[key];
    // A plain assignment to this key would set the prototype.
    if (key === "__proto__") put(made, [key], item);
    else made[key] = item;
  }
  return made;
}

const ALWAYS: IsExact = () => true;

/**
 * Makes the test whether a value of a kind has fields of the kind only, in plain objects: the part of a server that answers with many objects, of
 * which most have nothing to be cut. There is none where what the schema made must be asked: of defaults, maps, structs that are open or united
 * and what cannot be told.
 *
 * @example
 * ```ts
 * import { api, exactness, handlerWith, implement, rest } from "../server.ts";
 * import { z } from "npm:zod@4.6.7";
 * const users = api("x", { List: rest("GET /users", [], [z.array(z.object({ name: z.string() }))]) });
 * const list: { name: string }[] = [Object.assign({ name: "ann" }, { passwordHash: "x" })];
 * const serve = handlerWith({ exactness }, null, implement(users, { List: () => list }));
 * console.assert(await (await serve(new Request("http://localhost/users"))).text() === '[{"name":"ann"}]');
 * ```
 */
export const exactness: MakeExactness = (kind, same) => same && hasDefaults(same) ? undefined : makeExactness(kind, []);

/** Whether a schema adds values where there are none. */
function hasDefaults({ "~standard": { jsonSchema } }: Schema): boolean {
  let found = false;
  JSON.stringify(jsonSchema?.input({ target: "draft-2020-12" }), (key, value) => {
    found ||= key === "default";
    return value;
  });
  return found;
}

function makeExactness(kind: Kind, outer: readonly Kind[]): IsExact | undefined {
  const { type } = kind;
  if (kind.caught) return undefined;
  if (type === "list") {
    const item = kind.items || outer.includes(kind) ? undefined : makeExactness(kind.item, [...outer, kind]);
    if (!item || item === ALWAYS) return item;
    return (value) => {
      // Not by `every`, which calls a function that it cannot inline.
      if (Array.isArray(value)) { for (let i = 0; i < value.length; i++) if (!item(value[i])) return false; }
      return true;
    };
  }
  if (type !== "struct") return /^(any|map|stream|chan|error)$/.test(type) ? undefined : ALWAYS;
  const { fields, open } = kind;
  const inner: [name: string, isExact: IsExact][] = [];
  const names = [...fields.keys()];
  if (open || fields.of || outer.includes(kind)) return undefined;
  for (const [name, field] of fields) {
    const isExact = makeExactness(field.kind, [...outer, kind]);
    if (!isExact) return undefined;
    if (isExact !== ALWAYS) inner.push([name, isExact]);
  }
  return (value) => {
    if (typeof value !== "object" || value === null) return true;
    if (Object.getPrototypeOf(value) !== Object.prototype) return false;
    let place = 0;
    // Most values have their fields in the order of the schema: to compare names takes a fraction of a look-up.
    for (const name in value) if (name !== names[place++] && !fields.has(name)) return false;
    for (const [name, isExact] of inner) if (!isExact((value as Record<string, unknown>)[name])) return false;
    return true;
  };
}
