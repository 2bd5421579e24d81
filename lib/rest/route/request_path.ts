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
  // Not found, -1, is more than any length when it has no sign.
  const end = Math.min(url.indexOf("#") >>> 0, url.length);
  const question = Math.min(url.indexOf("?") >>> 0, end);
  const start = Math.min(url.indexOf("/", url.indexOf("://") + 3) >>> 0, question);
  return { path: url.slice(start, question) || "/", query: url.slice(question + 1, end) };
}

/** The path of an API's base, without a slash at its end: `/v1` of `https://example.com/v1/`; empty where there is none. */
export function pathOfBase(base: string): string {
  // Another scheme's address is no path of a server.
  const match = /^(?:https?:\/\/|(?![^/]*:\/\/))[^/?#]*([^?#]*)/i.exec(base);
  return normalisePath(match?.[1] ?? "").replace(/\/+$/, "");
}

/** The rest of a path that begins with `prefix`, which ends without a slash; undefined for any other path. */
export function pathBehind(prefix: string, path: string): string | undefined {
  const rest = path.slice(prefix.length) || "/";
  return path.startsWith(prefix) && rest[0] === "/" ? rest : undefined;
}

/** Whether a path may be one that `new URL` would write otherwise. Servers hand over paths as they came. */
export const isOddPath = (path: string): boolean => /\/\.|%2e|[^!#-;=?-[\]_a-z|~]/i.test(path);

/** Writes a path as `new URL` does: dot segments resolved, backslashes turned, characters encoded. */
export function normalisePath(path: string): string {
  try {
    return isOddPath(path) ? new URL(`http://localhost${path}`).pathname : path;
  } catch {
    return path;
  }
}
