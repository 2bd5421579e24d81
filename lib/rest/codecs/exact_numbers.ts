/**
 * JSON whose integers are exact, also where the runtime has no source texts in its JSON, as Node 20 and browsers before 2025.
 *
 * @module
 */

/** The part of the platform's JSON that TypeScript's library does not know yet. */
interface SourceTextJSON {
  rawJSON?(text: string): unknown;
  parse(text: string, reviver: (key: string, value: unknown, context?: { source?: string }) => unknown): unknown;
}

const SOURCE_TEXT: SourceTextJSON = JSON;

/** The digits of the longest integer that is read exactly: the time for it grows with their square. */
const DIGITS = 4096;

/** Writes a value as JSON, with each bigint as a number. `replace` is asked for everything else. */
export function writeExact(
  value: unknown,
  replace: (value: unknown) => unknown,
  hasSource: boolean = SOURCE_TEXT.rawJSON !== undefined,
): string | undefined {
  let mark = "";
  const text: string | undefined = JSON.stringify(value, (_key, item: unknown) => {
    if (typeof item !== "bigint") return replace(item);
    if (hasSource) return SOURCE_TEXT.rawJSON?.(String(item));
    const number = Number(item);
    // A longer one travels as a text that nobody else can have written, and loses its quotes at the end.
    return Number.isSafeInteger(number) ? number : (mark ||= crypto.randomUUID()) + item;
  });
  return mark === "" ? text : text?.replace(new RegExp(`"${mark}(-?\\d+)"`, "g"), "$1");
}

/**
 * Reads JSON, with each integer too big for a number as a bigint.
 *
 * @throws {SyntaxError}
 */
export function readExact(text: string, hasSource: boolean = SOURCE_TEXT.rawJSON !== undefined): unknown {
  if (hasSource) {
    return SOURCE_TEXT.parse(text, (_key, value, context) => {
      const source = context?.source;
      return typeof value === "number" && !Number.isSafeInteger(value) && source !== undefined && /^-?\d+$/.test(source)
        ? exactInteger(source)
        : value;
    });
  }
  if (!/\d{16}/.test(text)) return JSON.parse(text);
  const mark = crypto.randomUUID();
  // A string that does not end is taken to the end of the text: tried again from each of its quotes, it would take a square of time.
  const tokens = /"[^"\\]*(?:\\[^][^"\\]*)*(?:"|\\?$)|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/g;
  const marked = text.replace(tokens, (token) => /^-?[1-9]\d{15,}$/.test(token) ? `"${mark}${token}"` : token);
  try {
    return JSON.parse(marked, (_key, value: unknown) => {
      return typeof value === "string" && value.startsWith(mark) ? exactInteger(value.slice(mark.length)) : value;
    });
  } catch (error) {
    // The error of the text itself: the other one may quote the mark.
    JSON.parse(text);
    throw error;
  }
}

function exactInteger(digits: string): bigint | number {
  const number = Number(digits);
  return Number.isSafeInteger(number) || digits.length > DIGITS ? number : BigInt(digits);
}
