/** Texts of two parts: `NAME=VALUE`, `USER:GROUP`. */

/** Cuts a text at the first separator; without one the second part is empty. */
export function splitPair(text: string, separator = "="): [first: string, second: string] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + separator.length)];
}

/** Reads `NAME=VALUE` texts as a table: a later one wins, and one without a `=` has the empty value. */
export function readPairs(texts: readonly string[]): Record<string, string> {
  return Object.fromEntries(texts.map((text) => splitPair(text)));
}
