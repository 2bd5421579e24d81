import type { Codec } from "./codec.ts";
import { readJSON, writeJSON } from "./json.ts";
import { boundDepth } from "./json_depth.ts";
import { isRecord, put } from "./record.ts";
import { absentOf, type Kind } from "../plan/kind.ts";
import { queryValues } from "./query_values.ts";
import { describeKind, readScalar, writeScalar } from "./scalar_text.ts";

/**
 * `application/x-www-form-urlencoded`: a field for each property of a struct or entry of a map, under its `rest` name if it has one. A list repeats
 * its field, and what has parts is written as JSON; read are `name[]` and `struct.field` as well.
 *
 * @example
 * ```ts
 * import { api, handler, implement, rest } from "../mod.ts";
 * import { z } from "npm:zod@4.6.7";
 *
 * const Order = z.object({ item: z.array(z.string()), to: z.object({ city: z.string() }) });
 * const shop = api("shop.example.com", { Buy: rest("POST(application/x-www-form-urlencoded) /buy", [Order], [z.string()]) });
 * const serve = handler(null, implement(shop, { Buy: ({ item, to }) => `${item.join()} to ${to.city}` }));
 * const body = new URLSearchParams([["item[]", "tea"], ["item[]", "milk"], ["to.city", "Rome"]]);
 * const response = await serve(new Request("http://localhost/buy", { method: "POST", body }));
 * console.assert(await response.text() === "tea,milk to Rome");
 * ```
 */
export const form: Codec = {
  type: "application/x-www-form-urlencoded",
  carries: ({ type }) => type === "struct" || type === "map",
  encode(value, { kind }) {
    const parameters = new URLSearchParams();
    for (const [name, item] of fieldsOf(value, kind)) {
      parameters.append(name, isRecord(item) || Array.isArray(item) ? writeJSON(item) : writeScalar(item));
    }
    return parameters.toString();
  },
  decode(body, { kind }) {
    const values = queryValues(body);
    return readFields(values.names(), (name) => values.get(name) ?? [], kind, readField);
  },
};

/** The fields of a form: each item of a list is one of its own, and what is undefined or null is left out. */
export function* fieldsOf(value: unknown, kind: Kind): Iterable<[name: string, item: unknown]> {
  for (const [name, item] of Object.entries(isRecord(value) ? value : {})) {
    const alias = kind.type === "struct" ? kind.fields.get(name)?.alias : undefined;
    for (const one of Array.isArray(item) ? item : [item]) if (one != null) yield [alias ?? name, one];
  }
}

/** Makes a struct of the fields of a form. */
export function readFields<Entry>(
  names: Iterable<string>,
  entriesOf: (name: string) => readonly Entry[],
  kind: Kind,
  read: (entry: Entry, kind: Kind, name: string) => unknown,
): Record<string, unknown> {
  const made: Record<string, unknown> = {};
  const lists = new Map<string, unknown[]>();
  for (const name of new Set(names)) {
    const { path, kind: of } = findField(kind, name) ?? findField(kind, name.replace(/\[]$/, "")) ??
      { path: [name], kind: { type: "any" } as const };
    const entries = entriesOf(name);
    if (of.type === "list") {
      const list = [...lists.get(path.join()) ?? [], ...entries.map((entry) => read(entry, of.item, name))];
      lists.set(path.join(), list);
      put(made, path, list);
    } else put(made, path, read(entries[entries.length - 1], of, name));
  }
  return withAbsent(made, kind);
}

/** Adds the values that must be there of which nothing is written: empty lists, and null. */
export function withAbsent(struct: Record<string, unknown>, kind: Kind): Record<string, unknown> {
  for (const [name, { kind: of, required }] of kind.type === "struct" ? kind.fields : []) {
    const value = Object.hasOwn(struct, name) ? struct[name] : undefined;
    if (isRecord(value)) withAbsent(value, of);
    else if (required && value === undefined) put(struct, [name], absentOf(of));
  }
  return struct;
}

/** The field of a struct, or within a struct in it, that has this name in a form. */
function findField(kind: Kind, name: string): { path: readonly string[]; kind: Kind } | undefined {
  if (kind.type === "map") return { path: [name], kind: kind.value };
  if (kind.type !== "struct") return undefined;
  for (const [key, { alias = key, kind: of }] of kind.fields) {
    if (name === key || name === alias) return { path: [key], kind: of };
    const inner = of.type === "struct" && name.startsWith(`${alias}.`) && findField(of, name.slice(alias.length + 1));
    if (inner) return { path: [key, ...inner.path], kind: inner.kind };
  }
}

/**
 * Reads the text of one field.
 *
 * @throws {SyntaxError} when it is not of its kind
 */
export function readField(text: string, kind: Kind, name: string): unknown {
  if (kind.type === "struct" || kind.type === "map" || kind.type === "list") return readJSON(boundDepth(text), kind);
  const value = readScalar(text, kind);
  if (value === undefined) throw new SyntaxError(`at "${name}": "${text.slice(0, 40)}" is not ${describeKind(kind)}`);
  return value;
}
