import { HTTPError } from "../error.ts";

/** How a query is read; see `APIOptions.query`. */
export interface QueryOptions {
  readonly ignoreCase?: boolean;
  readonly emptyIsAbsent?: boolean;
}

/** How many parts of a query are looked at. */
const MAX_PARTS = 4096;

/** The values of a query by name, in order. */
export class QueryValues {
  readonly #values = new Map<string, string[]>();
  readonly #key: (name: string) => string;

  /**
   * Reads a query.
   *
   * @throws {HTTPError} 400 when the percent-encoding is malformed
   */
  constructor(query: string, { ignoreCase }: QueryOptions = {}) {
    this.#key = (name) => ignoreCase ? name.toLowerCase() : name;
    const parts = query.split("&", MAX_PARTS + 1);
    if (parts.length > MAX_PARTS) throw wrong(`Read the query: it has more than ${MAX_PARTS} parts`);
    for (const part of parts) {
      if (!part) continue;
      const spaced = part.replaceAll("+", " ");
      const equals = `${spaced}=`.indexOf("=");
      const name = decodeText(spaced.slice(0, equals), part);
      const value = decodeText(spaced.slice(equals + 1), name);
      const before = this.get(name);
      if (before) before.push(value);
      else this.#values.set(this.#key(name), [value]);
    }
  }

  /** The values under a name, or undefined when it is not there. */
  get(name: string): string[] | undefined {
    return this.#values.get(this.#key(name));
  }

  /** The values of a list: under `name` and `name[]`. */
  list(name: string): readonly string[] | undefined {
    const given = [name, `${name}[]`].flatMap((one) => this.get(one) ?? []);
    return given.length ? given : undefined;
  }

  names(): Iterable<string> {
    return this.#values.keys();
  }
}

/** The error of an argument that cannot be read. */
export function wrong(message: string, cause?: unknown): HTTPError {
  return new HTTPError(400, message, { kind: "argument", cause });
}

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
