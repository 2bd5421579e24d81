import { HTTPError, type HTTPErrorKind } from "../error.ts";

/** How a query is read; see `APIOptions.query`. */
export interface QueryOptions {
  readonly ignoreCase?: boolean;
  readonly emptyIsAbsent?: boolean;
}

/** How many parts of a query are looked at. */
const MAX_PARTS = 4096;

/** The values of a query by name, in order. */
export interface QueryValues {
  /** The values under a name, or undefined when it is not there. */
  get(name: string): string[] | undefined;
  /** The values of a list: under `name` and `name[]`. */
  list(name: string): readonly string[] | undefined;
  names(): Iterable<string>;
}

/**
 * Reads a query.
 *
 * @throws {HTTPError} 400 when the percent-encoding is malformed
 */
export function queryValues(query: string, options?: QueryOptions): QueryValues {
  const values = new Map<string, string[]>();
  const keyOf = (name: string) => options?.ignoreCase ? name.toLowerCase() : name;
  const get = (name: string) => values.get(keyOf(name));
  const parts = query.split("&", MAX_PARTS + 1);
  if (parts.length > MAX_PARTS) throw wrong(`Read the query: it has more than ${MAX_PARTS} parts`);
  for (const part of parts) {
    if (!part) continue;
    const spaced = part.replaceAll("+", " ");
    const equals = `${spaced}=`.indexOf("=");
    const name = decodeText(spaced.slice(0, equals), part);
    const value = decodeText(spaced.slice(equals + 1), name);
    const before = get(name);
    if (before) before.push(value);
    else values.set(keyOf(name), [value]);
  }
  return {
    get,
    list(name) {
      const given = [name, name + "[]"].flatMap((one) => get(one) ?? []);
      return given.length ? given : undefined;
    },
    names: () => values.keys(),
  };
}

/** The error of an argument that cannot be read. */
export const wrong = (message: string, cause?: unknown, kind: HTTPErrorKind = "argument"): HTTPError =>
  new HTTPError(400, message, { kind, cause });

/**
 * Undoes percent-encoding.
 *
 * @param name What the text is called when it is malformed
 * @throws {HTTPError} 400
 */
export function decodeText(text: string, name: string): string {
  try {
    return text.includes("%") ? decodeURIComponent(text) : text;
  } catch {
    throw wrong(`Read "${name}": the percent-encoding is malformed`);
  }
}
