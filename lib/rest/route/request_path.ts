/** Path and query of a request, as they stand in its URL. */
export interface RequestPath {
  readonly path: string;
  /** Without the question mark. */
  readonly query: string;
}

/**
 * Cuts path and query out of a URL without parsing it. A path that `new URL` would write otherwise is left as it is: see
 * {@linkcode isOddPath}.
 */
export function cutPath(url: string): RequestPath {
  let start = url.indexOf("/", url.indexOf("://") + 3);
  let end = url.indexOf("#");
  if (end < 0) end = url.length;
  let question = url.indexOf("?");
  if (question < 0 || question > end) question = end;
  if (start < 0 || start > question) start = question;
  return { path: url.slice(start, question) || "/", query: url.slice(question + 1, end) };
}

/** The path of an API's base, without a slash at its end: `/v1` of `https://example.com/v1/`; empty where there is none. */
export function pathOfBase(base: string): string {
  // Another scheme's address is no path of a server.
  const [, scheme = "http", path = ""] = /^(?:(\w[\w+.-]*):\/\/)?[^/?#]*(\/[^?#]*)?/.exec(base) ?? [];
  return /^https?$/i.test(scheme) && path ? normalisePath(path).replace(/\/+$/, "") : "";
}

/** The rest of a path that begins with `prefix`, which ends without a slash; undefined for any other path. */
export function pathBehind(prefix: string, path: string): string | undefined {
  if (prefix === "") return path;
  const rest = path.slice(prefix.length);
  return path.startsWith(prefix) && /^(\/|$)/.test(rest) ? rest || "/" : undefined;
}

const ODD = /\\|\/\.|%2e|[^\x21-\x7e]|["<>^`{}]/i;
/** The characters of which each odd path has one: found several times as fast as what is odd about them. */
const SUSPECT = /[^!#$&-\-/-;=?-[\]_a-z|~]/;

/** Whether a path may be one that `new URL` would write otherwise. Servers hand over paths as they came. */
export function isOddPath(path: string): boolean {
  return SUSPECT.test(path) && ODD.test(path);
}

/** Writes a path as `new URL` does: dot segments resolved, backslashes turned, characters encoded. */
export function normalisePath(path: string): string {
  try {
    return new URL(`http://localhost${path}`).pathname;
  } catch {
    return path;
  }
}
