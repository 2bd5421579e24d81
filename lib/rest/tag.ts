import { TagParser } from "./tag_parser.ts";

/** Where the value of a placeholder comes from: an argument by its number (from 0), or a field within a struct argument. */
export type Source = { readonly argument: number } | { readonly field: readonly string[] };

/** A placeholder in a path. */
export interface Placeholder {
  readonly name: string;
  readonly source: Source;
  readonly column: number;
}

/** One segment of a path. */
export type TagSegment =
  | { readonly type: "literal"; readonly text: string }
  | { readonly type: "parameter"; readonly placeholder: Placeholder }
  /** Literals and placeholders in turn, as in `{id=%v}.json`. */
  | { readonly type: "partial"; readonly parts: readonly (string | Placeholder)[] }
  | { readonly type: "remainder"; readonly placeholder: Placeholder };

/** One item of a query. */
export type TagQuery =
  | { readonly type: "spread"; readonly source: Source; readonly column: number }
  | { readonly type: "named"; readonly name: string; readonly source: Source; readonly column: number }
  | { readonly type: "constant"; readonly name: string; readonly value: string };

/** Something wrong with a tag, and where: `column` counts from 1. */
export interface TagProblem {
  readonly column: number;
  readonly message: string;
}

/** A tag, taken apart. */
export interface Tag {
  readonly method: string;
  readonly contentType: string | undefined;
  readonly segments: readonly TagSegment[];
  readonly query: readonly TagQuery[];
  readonly argumentRules: readonly string[];
  readonly resultRules: readonly string[];
  /** Where the rules begin, for problems that concern them. */
  readonly columns: { readonly arguments: number; readonly results: number };
  readonly problems: readonly TagProblem[];
}

/**
 * Takes a tag apart: `METHOD(CONTENT_TYPE) PATH (ARGUMENT_RULES) RESULT_RULES`. Never throws: what is wrong is listed in `problems`,
 * and the rest is still read.
 */
export function parseTag(text: string): Tag {
  return new TagParser(text).parse();
}
