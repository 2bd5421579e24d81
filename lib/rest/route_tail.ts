import type { Segment } from "./plan_types.ts";

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

const RANKS = { literal: 0, partial: 1, parameter: 2, remainder: 3 };

/** Orders what may follow a remainder: one literal alone first, nothing at all last, else segment by segment. */
export function compareTails(a: readonly Segment[], b: readonly Segment[]): number {
  if ((a.length === 0) !== (b.length === 0)) return a.length === 0 ? 1 : -1;
  const alone = (tail: readonly Segment[]) => tail.length === 1 && tail[0].type === "literal" ? 0 : 1;
  if (alone(a) !== alone(b)) return alone(a) - alone(b);
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const order = RANKS[a[i].type] - RANKS[b[i].type];
    if (order !== 0) return order;
  }
  return b.length - a.length;
}
