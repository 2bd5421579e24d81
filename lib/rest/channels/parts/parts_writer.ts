import { isReplaced, writeJSON } from "../../codecs/json.ts";
import { type Field, type Kind, structFields } from "../../plan/kind.ts";
import { LONG, Quoted, type TextParts } from "./encode_parts.ts";

/**
 * Makes the writer of a kind's values in a body. It writes JSON as {@linkcode writeJSON} does, but leaves long texts as they are where the value is
 * one, or an object with some: `JSON.stringify()` would copy each twice, which takes longer than all the rest of sending it.
 */
export function partsWriter(kind: Kind | undefined): (value: unknown) => string | TextParts {
  const names = kind === undefined || isReplaced(kind)
    ? []
    : structFields(kind).filter(holdsText).map(([name]) => name);
  if (kind?.type === "string") {
    return (value) => isLong(value) && isPlain(value) ? quoted(value) : writeJSON(value, kind);
  }
  if (names.length === 0) return (value) => writeJSON(value, kind);
  return (value) => {
    if (hasLong(value, names)) {
      try {
        const parts = writeFields(value);
        if (parts) return parts;
      } catch (error) {
        // A bigint or a cycle, of which the usual way knows more.
        if (!(error instanceof TypeError)) throw error;
      }
    }
    return writeJSON(value, kind);
  };
}

const holdsText = ([, { kind: { type } }]: [string, Field]) => type === "string" || type === "text";

const quoted = (text: string): TextParts => ['"', new Quoted(text), '"'];

/** Writes an object; undefined if all of its long texts have to be escaped. */
function writeFields(value: Readonly<Record<string, unknown>>): TextParts | undefined {
  const parts: (string | Quoted)[] = [];
  let text = "{";
  let others: Record<string, unknown> = {};
  const add = (fields: string) => text += fields && text !== "{" ? `,${fields}` : fields;
  for (const [key, item] of Object.entries(value)) {
    if (isLong(item) && isPlain(item)) {
      add(JSON.stringify(others).slice(1, -1));
      add(`${JSON.stringify(key)}:"`);
      parts.push(text, new Quoted(item));
      text = '"';
      others = {};
    } else others[key] = item;
  }
  if (parts.length === 0) return undefined;
  add(JSON.stringify(others).slice(1, -1));
  return [...parts, `${text}}`];
}

function isLong(value: unknown): value is string {
  return typeof value === "string" && value.length >= LONG;
}

/** Whether a text has none of the characters that have to be escaped most often, and no half of a surrogate pair. */
function isPlain(text: string): boolean {
  return !text.includes('"') && !text.includes("\\") && !text.includes("\n") && text.isWellFormed();
}

/** Whether a value is an object whose fields are its JSON, and has a long text among those of these names. */
function hasLong(value: unknown, names: readonly string[]): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null) return false;
  for (const name of names) {
    if (isLong((value as Record<string, unknown>)[name])) {
      // An assignment to `__proto__` would set the prototype.
      return Object.getPrototypeOf(value) === Object.prototype &&
        !("toJSON" in value || Object.hasOwn(value, "__proto__"));
    }
  }
  return false;
}
