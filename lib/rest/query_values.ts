import { HTTPError } from "./error.ts";

/** How many parts of a query are looked at. */
const MAX_PARTS = 4096;

/** The values of a query by name, in order. */
export class QueryValues {
  readonly #values = new Map<string, string[]>();
  readonly #ignoreCase: boolean;

  /**
   * Reads a query.
   *
   * @throws {HTTPError} 400 when the percent-encoding is malformed
   */
  constructor(query: string, options: { ignoreCase?: boolean } = {}) {
    this.#ignoreCase = options.ignoreCase === true;
    if (query === "") return;
    const parts = query.split("&");
    if (parts.length > MAX_PARTS) {
      throw new HTTPError(400, `Read the query: it has more than ${MAX_PARTS} parts`, { kind: "argument" });
    }
    for (const part of parts) {
      if (part === "") continue;
      const equals = part.indexOf("=");
      const name = decodeQuery(equals < 0 ? part : part.slice(0, equals), undefined);
      const key = this.#ignoreCase ? name.toLowerCase() : name;
      const value = equals < 0 ? "" : decodeQuery(part.slice(equals + 1), name);
      const before = this.#values.get(key);
      if (before === undefined) this.#values.set(key, [value]);
      else before.push(value);
    }
  }

  /** The values under a name, or undefined when it is not there. */
  get(name: string): readonly string[] | undefined {
    return this.#values.get(this.#ignoreCase ? name.toLowerCase() : name);
  }

  /** The values of a list: under `name` and `name[]`. */
  list(name: string): readonly string[] | undefined {
    const plain = this.get(name);
    const bracketed = this.get(`${name}[]`);
    return plain === undefined ? bracketed : bracketed === undefined ? plain : [...plain, ...bracketed];
  }

  names(): Iterable<string> {
    return this.#values.keys();
  }
}

function decodeQuery(text: string, name: string | undefined): string {
  const spaced = text.includes("+") ? text.replaceAll("+", " ") : text;
  if (!spaced.includes("%")) return spaced;
  try {
    return decodeURIComponent(spaced);
  } catch {
    const of = name === undefined ? "a name in the query" : `"${name}"`;
    throw new HTTPError(400, `Read ${of}: the percent-encoding is malformed`, { kind: "argument" });
  }
}
