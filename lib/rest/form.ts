import type { Codec } from "./codec.ts";
import { readJSON, writeJSON } from "./json.ts";
import { isRecord } from "./record.ts";
import type { Kind } from "./kind.ts";
import { describeKind, readScalar, writeScalar } from "./scalar_text.ts";

/**
 * `application/x-www-form-urlencoded`: a field for each property of a struct or entry of a map; a list repeats its field, and what has parts
 * is written as JSON.
 */
export const form: Codec = {
  type: "application/x-www-form-urlencoded",
  carries: ({ type }) => type === "struct" || type === "map",
  encode(value) {
    const parameters = new URLSearchParams();
    for (const [name, item] of fieldsOf(value)) {
      parameters.append(name, isRecord(item) || Array.isArray(item) ? writeJSON(item, true) : writeScalar(item));
    }
    return parameters.toString();
  },
  decode(body, { kind }) {
    return readFields(new URLSearchParams(body), kind, readField);
  },
};

/** The fields of a form: each item of a list is one of its own, and what is undefined or null is left out. */
export function* fieldsOf(value: unknown): Iterable<[name: string, item: unknown]> {
  for (const [name, item] of Object.entries(isRecord(value) ? value : {})) {
    for (const one of Array.isArray(item) ? item : [item]) if (one != null) yield [name, one];
  }
}

/** Makes a struct of the fields of a form; a field that may repeat is also read under `name[]`. */
export function readFields<Entry>(
  form: { keys(): Iterable<string>; getAll(name: string): Entry[] },
  kind: Kind,
  read: (entry: Entry, kind: Kind, name: string) => unknown,
): Record<string, unknown> {
  const made = new Map<string, unknown>();
  for (const key of new Set(form.keys())) {
    const field = (name: string) =>
      kind.type === "struct" ? kind.fields.get(name)?.kind : kind.type === "map" ? kind.value : undefined;
    const name = field(key) === undefined && key.endsWith("[]") ? key.slice(0, -2) : key;
    const of = field(name);
    const entries = form.getAll(key);
    if (of?.type === "list") {
      const before = made.get(name);
      made.set(name, [...Array.isArray(before) ? before : [], ...entries.map((entry) => read(entry, of.item, name))]);
    } else if (!made.has(name)) made.set(key, read(entries[entries.length - 1], of ?? { type: "any" }, name));
  }
  return Object.fromEntries(made);
}

/**
 * Reads the text of one field.
 *
 * @throws {SyntaxError} when it is not of its kind
 */
export function readField(text: string, kind: Kind, name: string): unknown {
  if (kind.type === "struct" || kind.type === "map" || kind.type === "list") return readJSON(text, kind);
  const value = readScalar(text, kind);
  if (value === undefined) throw new SyntaxError(`"${name}" is not ${describeKind(kind)}`);
  return value;
}
