/**
 * JSON: reading foreign documents, those of a whole file within bounds, and writing our own.
 *
 * @module
 */

/** A JSON object. */
export type JSONObject = { [key: string]: unknown };

/** Bounds on a JSON document. */
export interface JSONLimits {
  /** Most bytes of text. */
  bytes: number;
  /** Deepest nesting of objects and lists. */
  depth: number;
}

/** Whether the value is a JSON object. */
export function isObject(value: unknown): value is JSONObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Parses one JSON object. `what` begins the error texts.
 *
 * Throws `RangeError` past the limits and `SyntaxError` for anything that is not a JSON object in UTF-8.
 */
export function parseObject(bytes: Uint8Array, what: string, limits: JSONLimits): JSONObject {
  if (bytes.length > limits.bytes) throw new RangeError(`${what}: larger than ${limits.bytes} bytes`);
  checkDepth(bytes, what, limits.depth);
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (cause) {
    throw new SyntaxError(`${what}: not JSON`, { cause });
  }
  if (!isObject(value)) throw new SyntaxError(`${what}: not a JSON object`);
  return value;
}

/** A document as JSON, in UTF-8. */
export function encodeJSON(document: unknown): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(document));
}

/** The same object without the fields that are undefined, as its JSON would be. */
export function withoutAbsent<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  // Entries of the object that came in, fewer of them.
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}

/** Parses a list of texts, as the exec form of an instruction is; `undefined` for anything else. */
export function parseTextList(text: string): string[] | undefined {
  // Most texts are none, and an error takes its time.
  if (!text.trimStart().startsWith("[")) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) && value.every((item) => typeof item === "string") ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Reads a map of texts; absent and null are `undefined`. Throws `SyntaxError` for other values. */
export function stringMap(value: unknown, what: string): Record<string, string> | undefined {
  if (value === undefined || value === null) return undefined;
  if (!isObject(value)) throw new SyntaxError(`${what}: not an object`);
  const entries = Object.entries(value).map(([key, text]): [string, string] => {
    if (typeof text !== "string") throw new SyntaxError(`${what}: "${key}" is not a text`);
    return [key, text];
  });
  return Object.fromEntries(entries);
}

/** Counts brackets outside strings, before JSON.parse recurses into them. */
function checkDepth(bytes: Uint8Array, what: string, limit: number): void {
  const [quote, backslash] = [0x22, 0x5c];
  let depth = 0;
  let quoted = false;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i];
    if (quoted) {
      if (byte === backslash) i++;
      else if (byte === quote) quoted = false;
    } else if (byte === quote) quoted = true;
    else if (byte === 0x7b || byte === 0x5b) {
      if (++depth > limit) throw new RangeError(`${what}: nested deeper than ${limit}`);
    } else if (byte === 0x7d || byte === 0x5d) depth--;
  }
}
