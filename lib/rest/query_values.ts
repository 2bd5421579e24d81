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
  constructor(query: string, { ignoreCase = false }: { ignoreCase?: boolean } = {}) {
    this.#ignoreCase = ignoreCase;
    const parts = query.split("&", MAX_PARTS + 1);
    if (parts.length > MAX_PARTS) throw wrong(`Read the query: it has more than ${MAX_PARTS} parts`);
    for (const part of parts) {
      if (part === "") continue;
      const equals = part.indexOf("=");
      const name = decodeQuery(equals < 0 ? part : part.slice(0, equals), part);
      const value = equals < 0 ? "" : decodeQuery(part.slice(equals + 1), name);
      const before = this.get(name);
      if (before) before.push(value);
      else this.#values.set(this.#key(name), [value]);
    }
  }

  #key(name: string): string {
    return this.#ignoreCase ? name.toLowerCase() : name;
  }

  /** The values under a name, or undefined when it is not there. */
  get(name: string): string[] | undefined {
    return this.#values.get(this.#key(name));
  }

  /** The values of a list: under `name` and `name[]`. */
  list(name: string): readonly string[] | undefined {
    const plain = this.get(name);
    const bracketed = this.get(`${name}[]`);
    return plain && bracketed ? plain.concat(bracketed) : plain ?? bracketed;
  }

  names(): Iterable<string> {
    return this.#values.keys();
  }
}

/** The error of an argument that cannot be read. */
export function wrong(message: string, cause?: unknown): HTTPError {
  return new HTTPError(400, message, { kind: "argument", cause });
}

function decodeQuery(text: string, name: string): string {
  const spaced = text.replaceAll("+", " ");
  try {
    return spaced.includes("%") ? decodeURIComponent(spaced) : spaced;
  } catch {
    throw wrong(`Read "${name}": the percent-encoding is malformed`);
  }
}
