import { decodeBase64, encodeBase64 } from "./base64.ts";
import { readTime } from "./json.ts";
import type { Kind } from "./kind.ts";

const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/;
const INTEGER = /^[+-]?\d{1,40}$/;

/** Makes a value of the text that stands for it in a path, a query or a text body. Undefined when the text is not of that kind. */
export function readScalar(text: string, kind: Kind): unknown {
  switch (kind.type) {
    case "boolean":
      return text === "true" || text === "1" ? true : text === "false" || text === "0" ? false : undefined;
    case "number":
      return NUMBER.test(text) ? Number(text) : undefined;
    case "int64":
    case "uint64":
      return INTEGER.test(text) ? BigInt(text.replace(/^\+/, "")) : undefined;
    case "time":
      return readTime(text);
    case "bytes":
      return decodeBase64(text);
    case "null":
      return text === "" || text === "null" ? null : undefined;
    case "choice":
      for (const part of kind.of) {
        const value = readScalar(text, part);
        if (value !== undefined) return value;
      }
      return undefined;
    default:
      return text;
  }
}

/** What a text of this kind looks like, for messages. */
export function describeKind(kind: Kind): string {
  switch (kind.type) {
    case "boolean":
      return "true or false";
    case "number":
      return "a number";
    case "int64":
    case "uint64":
      return "an integer";
    case "time":
      return "a time in the form of RFC 3339";
    case "bytes":
      return "base64";
    case "choice":
      return kind.of.map(describeKind).join(" or ");
    default:
      return `a ${kind.type}`;
  }
}

/** Writes a value as the text that stands for it in a path, a query or a text body. */
export function writeScalar(value: unknown): string {
  if (value instanceof Date) return value.toISOString();
  return value instanceof Uint8Array ? encodeBase64(value) : String(value);
}
