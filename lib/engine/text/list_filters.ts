import { EngineError } from "../errors.ts";
import { parseMoment } from "./moment.ts";
import { splitPair } from "./pairs.ts";
import { compilePattern, type Pattern, readLiteral } from "./pattern.ts";

/** A pattern longer than this is the name of no object. */
const LONGEST_PATTERN = 512;

/** Builds the test of one filter from its values. */
export type BuildFilter<Item, Facts> = (values: readonly string[], facts: Facts) => (item: Item) => boolean;

/**
 * Builds the test whether an item of a list fits all filters.
 *
 * @param filters Values by the names that a client gave
 * @param known The filters there are
 * @param facts The facts that they need besides the item
 * @param refuse Makes the error for a filter that is not known
 */
export function fitsAll<Item, Facts>(
  filters: Readonly<Record<string, readonly string[]>>,
  known: Readonly<Record<string, BuildFilter<Item, Facts>>>,
  facts: Facts,
  refuse: (name: string) => Error,
): (item: Item) => boolean {
  const tests = Object.entries(filters).map(([name, values]) => {
    // Object.hasOwn: the name is a client's.
    if (!Object.hasOwn(known, name)) throw refuse(name);
    return known[name](values, facts);
  });
  return (item) => tests.every((test) => test(item));
}

/**
 * Returns whether labels fit one value of a `label` filter: `key` or `key=` (any value), or `key=value`. `*` in the key stands
 * for any text. The same rule holds for every resource that has labels.
 *
 * Source: `MatchLabelFilters` of containers/common, which Podman's lists share.
 */
export function hasLabel(labels: Readonly<Record<string, string>>, filter: string): boolean {
  const [key, value] = splitPair(filter);
  return Object.entries(labels).some(([name, text]) =>
    (value === "" || value === text) && (name === key || fitsWildcard(key, name))
  );
}

/** Reads a filter's boolean as Go's `strconv.ParseBool` does, in any case. Returns `undefined` for another text. */
export function parseBoolean(text: string): boolean | undefined {
  if (/^(?:1|t|true)$/i.test(text)) return true;
  return /^(?:0|f|false)$/i.test(text) ? false : undefined;
}

/** Compiles a filter's value as a regular expression; `undefined` for one that does not parse or is too long to fit a name. */
export function compileFilter(text: string): Pattern | undefined {
  if (text.length > LONGEST_PATTERN) return undefined;
  try {
    return compilePattern(text);
  } catch {
    return undefined;
  }
}

/** The only text that a filter's value fits, as `^name$` does; `undefined` where it may fit others. */
export function exactText(filter: string): string | undefined {
  const literal = filter.length > LONGEST_PATTERN ? undefined : readLiteral(filter);
  return literal?.atStart && literal.atEnd ? literal.text : undefined;
}

/**
 * Builds the test whether a text fits any value of a filter, each as a regular expression. A value that does not parse fits nothing, as in
 * Podman's lists; with `literal` it fits itself.
 */
export function fitsPattern(values: readonly string[], { literal = false } = {}): (text: string) => boolean {
  const patterns = values.map((value) => compileFilter(value) ?? ((text: string) => literal && text === value));
  return (text) => patterns.some((fits) => fits(text));
}

/** Builds the test whether any value stands for an ID: hexadecimal digits, in any case, for its beginning, any other text as a pattern. */
export function fitsID(values: readonly string[]): (id: string) => boolean {
  const isPrefix = (value: string) => /^[0-9a-f]+$/i.test(value);
  const prefixes = values.filter(isPrefix).map((value) => value.toLowerCase());
  const fits = fitsPattern(values.filter((value) => !isPrefix(value)));
  return (id) => prefixes.some((prefix) => id.startsWith(prefix)) || fits(id);
}

/** Reads an `until` filter: one moment, or a duration before `now`, as milliseconds since the epoch. Throws `invalid`. */
export function readUntil(values: readonly string[], now: number): number {
  if (values.length !== 1) throw new EngineError("invalid", "specify exactly one timestamp for until");
  const [text] = values;
  try {
    const until = parseMoment(text, now);
    if (until !== undefined) return until;
  } catch {
    // One text for everything that is no time.
  }
  throw new EngineError("invalid", `failed to parse value as time or duration: ${JSON.stringify(text)}`);
}

/** Walks the literal parts between the stars from left to right: time grows with the text, whatever the pattern. */
function fitsWildcard(pattern: string, text: string): boolean {
  const parts = pattern.split("*");
  const [first, last] = [parts[0], parts.at(-1) ?? ""];
  if (parts.length < 2 || !text.startsWith(first) || !text.endsWith(last)) return false;
  let at = first.length;
  for (const part of parts.slice(1, -1)) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return at <= text.length - last.length;
}
