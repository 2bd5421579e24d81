/** The source of a placeholder's value: an argument by its number (from 0), or a field within a struct argument. */
export type Source = { readonly argument: number } | { readonly field: readonly string[] };

/** A placeholder in a path. */
export interface Placeholder {
  readonly name: string;
  readonly source: Source;
  /** The column of its source in the tag, from 1; only {@linkcode checkTag} sets it. */
  readonly column?: number;
}

/** One segment of a path: literals and placeholders in turn, as in `{id=%v}.json`. */
export interface TagSegment {
  readonly parts: readonly (string | Placeholder)[];
  /** Whether the one placeholder stands for all segments there are. */
  readonly remainder: boolean;
}

/** One item of a query. */
export type TagQuery =
  | { readonly type: "spread"; readonly source: Source; readonly column?: number }
  | { readonly type: "named"; readonly name: string; readonly source: Source; readonly column?: number }
  | { readonly type: "constant"; readonly name: string; readonly value: string };

/** A tag, taken apart. */
export interface Tag {
  readonly method: string;
  readonly contentType: string | undefined;
  readonly segments: readonly TagSegment[];
  readonly query: readonly TagQuery[];
  readonly argumentRules: readonly string[];
  readonly resultRules: readonly string[];
  /** Its declared errors as they stand there: `!404 !409(Conflict)`. */
  readonly errors: string | undefined;
}

const TAG =
  /^([A-Z-]+)(?:\(((?:"[^"]*"|[^)"])*)\))? \/([^ ?]*)(?:\?([^ ]*))?(?: \(([^)]*)\))?(?: ([^!]*?))?(?: (!.*))?$/;
/** `{name}` and `{name=%v}`, a star behind the name or not, and `%v` alone. */
const PLACEHOLDER = /({[^}]+}|%(?:\[\d+])?v)/;
const VERB = /^%(?:\[\d+])?v$/;

/**
 * Takes a tag apart: `METHOD(CONTENT_TYPE) PATH (ARGUMENT_RULES) RESULT_RULES ERRORS`. It trusts the tag; {@linkcode checkTag} is what says what is
 * wrong with one.
 *
 * @throws {SyntaxError} when the text has not even the outline of a tag
 */
export function parseTag(text: string): Tag {
  const [match, method, contentType, path, query, argumentRules, resultRules, errors] = TAG.exec(text) ?? [];
  if (!match) throw new SyntaxError(`Parse tag "${text}"`);
  const names: string[] = [];
  let last = 0;
  // The number of `%v` is the one after the last, as in printf.
  const source = (verb: string | undefined, name = ""): Source =>
    verb ? { argument: (last = Number(/\d+/.exec(verb) ?? last + 1)) - 1 } : { field: name.split(".") };

  const readSegment = (segment: string): TagSegment => {
    // Every second one is a placeholder.
    const parts = segment.split(PLACEHOLDER).map((part, index): string | Placeholder => {
      if (index % 2 === 0) return part;
      const [bare, given, behind] = part.split(/\*?[{=}]/);
      const from = source(bare || behind, given);
      let name = given ?? `arg${last}`;
      while (names.includes(name)) name += "_";
      names.push(name);
      return { name, source: from };
    });
    return { parts: parts.filter(Boolean), remainder: /^{[^=]*\*[=}]/.test(segment) };
  };

  const readQuery = (item: string): TagQuery => {
    if (VERB.test(item)) return { type: "spread", source: source(item) };
    const [head, value] = item.split(/=(.*)/);
    const name = decode(head);
    return value === undefined || VERB.test(value)
      ? { type: "named", name, source: source(value, name) }
      : { type: "constant", name, value: decode(value) };
  };

  return {
    method,
    contentType,
    segments: path.split("/").map(readSegment),
    query: query?.split("&").map(readQuery) ?? [],
    argumentRules: words(argumentRules),
    resultRules: words(resultRules),
    errors,
  };
}

const decode = (text: string) => decodeURIComponent(text.replaceAll("+", " "));

const words = (text: string | undefined) => text ? text.split(",").map((word) => word.trim()) : [];
