/** Marks a text whose big integers are written as tagged objects. No JSON text begins with it. */
const TAGGED = "!";
const TAG = "$bigint";

/**
 * Writes a JSON-shaped value with big integers as text; {@linkcode decode} gives back an equal value. Plain values come out
 * as plain JSON. `undefined` properties are dropped, as JSON does.
 */
export function encode(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    // The only way to learn of a bigint without walking every value; cycles throw again below.
    if (!(error instanceof TypeError) || !/bigint/i.test(error.message)) throw error;
    return TAGGED + JSON.stringify(tag(value));
  }
}

/** Reads a text of {@linkcode encode}. The caller names the type it wrote. */
export function decode<T>(text: string): T {
  if (!text.startsWith(TAGGED)) return JSON.parse(text);
  // Written by `encode` from a T: the store never changes a text.
  return untag(JSON.parse(text.slice(TAGGED.length))) as T;
}

function tag(value: unknown): unknown {
  if (typeof value === "bigint") return { [TAG]: value.toString() };
  if (Array.isArray(value)) return value.map(tag);
  if (typeof value !== "object" || value === null) return value;
  // A foreign key that looks like the tag gets one more "$", so that labels cannot pose as numbers.
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key.endsWith(TAG) ? `$${key}` : key, tag(item)]),
  );
}

function untag(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(untag);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value);
  if (entries.length === 1 && entries[0][0] === TAG) return BigInt(String(entries[0][1]));
  return Object.fromEntries(
    entries.map(([key, item]) => [key.endsWith(TAG) ? key.slice(1) : key, untag(item)]),
  );
}
