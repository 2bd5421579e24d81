import { decodeBase64, encodeBase64 } from "./base64.ts";
import { readTime } from "./time_text.ts";
import type { Kind } from "../plan/kind.ts";

/** Makes a value of the text that stands for it in a path, a query or a text body. Undefined when the text is not of that kind. */
export function readScalar(text: string, kind: Kind): unknown {
  switch (kind.type) {
    case "time":
      return readTime(text);
    case "bytes":
      return decodeBase64(text);
    case "choice":
      return kind.of.map((part) => readPlain(text, part)).find((value) => value !== undefined);
    default:
      return readPlain(text, kind);
  }
}

/** {@linkcode readScalar} for all but times, bytes and scalars of several types, which stay text. */
export function readPlain(text: string, kind: Kind): unknown {
  switch (kind.type) {
    case "boolean":
      return /^(true|false|1|0)$/.test(text) ? /^[t1]/.test(text) : undefined;
    case "number":
      // Of texts of these signs `Number` takes decimal numbers only; of others also `0x1`, `Infinity` and no text at all.
      return /^[-+.\de]+$/i.test(text) && !isNaN(+text) ? +text : undefined;
    case "int64":
    case "uint64":
      // To read more digits takes the square of their number.
      return /^[-+]?\d{1,40}$/.test(text) ? BigInt(text) : undefined;
    case "null":
      return /^(null)?$/.test(text) ? null : undefined;
    default:
      return text;
  }
}

const WORDS: Partial<Record<Kind["type"], string>> = {
  boolean: "true or false",
  number: "a number",
  int64: "an integer",
  uint64: "an integer",
  time: "a time in the form of RFC 3339",
  bytes: "base64",
};

/** Describes the text of a kind, for messages. */
export function describeKind(kind: Kind): string {
  return kind.type === "choice" ? kind.of.map(describeKind).join(" or ") : WORDS[kind.type] ?? `a ${kind.type}`;
}

/** Writes a value as the text that stands for it in a path, a query or a text body. */
export function writeScalar(value: unknown): string {
  if (value instanceof Date) return value.toISOString();
  return value instanceof Uint8Array ? encodeBase64(value) : String(value);
}
