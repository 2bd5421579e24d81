import type { Segment } from "../plan/plan_types.ts";

/** A segment that is literal in part, ready to be matched. */
export interface PartialMatcher {
  readonly prefix: string;
  readonly suffix: string;
  /** The literals between names, where there are several in one segment. */
  readonly between: readonly string[];
}

/** Prepares a partial segment for matching. */
export function partialMatcher({ parts }: Segment & { type: "partial" }): PartialMatcher {
  const texts = parts.map((part) => "text" in part ? part.text : undefined);
  return {
    prefix: texts[0] ?? "",
    suffix: texts[texts.length - 1] ?? "",
    between: texts.slice(1, -1).filter((text) => text !== undefined),
  };
}

/**
 * Matches one segment of a path, adding its values to `captures`. Each name takes as little as it can, so the first place of each literal is
 * the right one: nothing has to be tried twice.
 */
export function matchPartial(matcher: PartialMatcher, text: string, captures: string[]): boolean {
  const { prefix, suffix, between } = matcher;
  if (text.length <= prefix.length + suffix.length || !text.startsWith(prefix) || !text.endsWith(suffix)) return false;
  const end = text.length - suffix.length;
  const kept = captures.length;
  let at = prefix.length;
  for (const literal of between) {
    const found = text.indexOf(literal, at + 1);
    if (found < 0 || found + literal.length >= end) {
      captures.length = kept;
      return false;
    }
    captures.push(text.slice(at, found));
    at = found + literal.length;
  }
  captures.push(text.slice(at, end));
  return true;
}
