/**
 * Returns whether labels fit one value of a `label` filter: `key` or `key=` (any value), or `key=value`. `*` in the key stands
 * for any text. The same rule holds for every resource that has labels.
 *
 * Source: `MatchLabelFilters` of containers/common, which Podman's lists share.
 */
export function hasLabel(labels: Readonly<Record<string, string>>, filter: string): boolean {
  const at = filter.indexOf("=");
  const [key, value] = at < 0 ? [filter, ""] : [filter.slice(0, at), filter.slice(at + 1)];
  return Object.entries(labels).some(([name, text]) =>
    (value === "" || value === text) && (name === key || fitsWildcard(key, name))
  );
}

/** Reads a filter's boolean as Go's `strconv.ParseBool` does, in any case. Returns `undefined` for another text. */
export function parseBoolean(text: string): boolean | undefined {
  if (/^(?:1|t|true)$/i.test(text)) return true;
  return /^(?:0|f|false)$/i.test(text) ? false : undefined;
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
