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

/** A segment behind a remainder. */
type Step =
  | { readonly type: "literal"; readonly text: string }
  | { readonly type: "parameter" }
  | { readonly type: "partial"; readonly matcher: PartialMatcher }
  | { readonly type: "remainder" };

/** What follows a remainder in a path, ready to be matched. */
export interface Tail {
  readonly steps: readonly Step[];
}

/** Prepares the segments that follow a remainder. */
export function compileTail(segments: readonly Segment[]): Tail {
  return {
    steps: segments.map((segment) =>
      segment.type === "partial" ? { type: "partial", matcher: partialMatcher(segment) } : segment
    ),
  };
}

/**
 * Matches `path` from `start` on as a remainder and its tail. The remainder takes as much as it can, and at least one character; its
 * value and those of the tail are added to `captures`, which is left as it was when nothing fits.
 */
export function matchRemainder(tail: Tail, path: string, start: number, captures: string[], from = 0): boolean {
  const { steps } = tail;
  if (from === steps.length) {
    if (start >= path.length) return false;
    captures.push(path.slice(start));
    return true;
  }
  const kept = captures.length;
  const next = steps.findIndex((step, index) => index >= from && step.type === "remainder");
  if (next < 0) {
    // As many segments as there are steps left are the tail's, so there is one place to cut.
    let cut = path.length;
    for (let i = from; i < steps.length; i++) cut = path.lastIndexOf("/", cut - 1);
    return cut > start && matchSteps(steps, from, steps.length, path, start, cut, captures);
  }
  for (let cut = path.lastIndexOf("/"); cut > start; cut = path.lastIndexOf("/", cut - 1)) {
    let end = cut;
    for (let i = from; i < next && end >= 0; i++) end = path.indexOf("/", end + 1);
    if (
      end > 0 && matchSteps(steps, from, next, path, start, cut, captures) &&
      matchRemainder(tail, path, end + 1, captures, next + 1)
    ) return true;
    captures.length = kept;
  }
  return false;
}

function matchSteps(
  steps: readonly Step[],
  from: number,
  to: number,
  path: string,
  start: number,
  cut: number,
  captures: string[],
): boolean {
  const kept = captures.length;
  captures.push(path.slice(start, cut));
  let at = cut + 1;
  for (let i = from; i < to; i++) {
    const slash = path.indexOf("/", at);
    const end = slash < 0 ? path.length : slash;
    if (!matchStep(steps[i], path.slice(at, end), captures)) {
      captures.length = kept;
      return false;
    }
    at = end + 1;
  }
  return true;
}

function matchStep(step: Step, text: string, captures: string[]): boolean {
  switch (step.type) {
    case "literal":
      return text === step.text;
    case "partial":
      return matchPartial(step.matcher, text, captures);
    default:
      if (text === "") return false;
      captures.push(text);
      return true;
  }
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
