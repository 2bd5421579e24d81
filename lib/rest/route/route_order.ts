import type { Segment } from "../plan/plan_types.ts";

const RANKS = { literal: 0, partial: 1, parameter: 2, remainder: 3 };

/** Orders paths so that the more specific come first: literal before partial before parameter before remainder, from the left. */
export function compareSegments(a: readonly Segment[], b: readonly Segment[]): number {
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const order = RANKS[a[i].type] - RANKS[b[i].type] || weightOf(b[i]) - weightOf(a[i]);
    if (order) return order;
  }
  // Behind a remainder, more segments are more specific.
  return b.length - a.length;
}

/** How much of a partial segment is literal; of equals, the one that begins with more of it weighs more (tags are shorter than 4096). */
export function weightOf(segment: Segment): number {
  if (segment.type !== "partial") return 0;
  const lengths = segment.parts.map((part) => "text" in part ? part.text.length : 0);
  return lengths.reduce((sum, length) => sum + length, lengths[0] / 4096);
}
