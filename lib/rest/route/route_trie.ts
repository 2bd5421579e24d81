import type { Segment } from "../plan/plan_types.ts";
import { matchPartial, type PartialMatcher, partialMatcher } from "./partial_matcher.ts";
import { compareSegments, weightOf } from "./route_order.ts";

/** Decides at the end of a path; undefined sends the search on to the next best fit. */
export type Choose<Leaf, Found> = (leaf: Leaf) => Found | undefined;

interface Node<Leaf> {
  /** Literals by length and three characters, in buckets as many as a power of two: to look these up takes no hash of a part of the path. */
  literals: Literal<Leaf>[][];
  partials: { key: string; matcher: PartialMatcher; weight: number; node: Node<Leaf> }[];
  parameter: Node<Leaf> | undefined;
  remainder: Remainder<Leaf> | undefined;
  leaf: Leaf | undefined;
}

interface Literal<Leaf> {
  text: string;
  node: Node<Leaf>;
}

interface Remainder<Leaf> {
  /** Longer tails that begin with a literal, best first. */
  led: Tail<Leaf>[];
  /** Tails that are one literal, by that literal. */
  literals: Map<string, Leaf>;
  /** All other tails, best first. */
  tails: Tail<Leaf>[];
}

/** The path after a remainder: a trie of one path. */
interface Tail<Leaf> {
  key: string;
  segments: readonly Segment[];
  node: Node<Leaf>;
  /** Whether it takes as many segments as it has, so that there is one place to cut. */
  fixed: boolean;
  /** The last search that tried more than one place, and the first place of which it knows that it and all behind fit nothing. */
  search: number;
  failed: number;
}

/** Searches so far: what one has found out is of no use to the next. */
let searches = 0;

/**
 * Paths by their segments. Of several that fit, the search finds the most specific: literal before partial before parameter before
 * remainder, from the left.
 */
export class RouteTrie<Leaf> {
  readonly #root: Node<Leaf> = emptyNode();
  readonly #makeLeaf: () => Leaf;

  constructor(makeLeaf: () => Leaf) {
    this.#makeLeaf = makeLeaf;
  }

  /** The leaf at the end of a path, made if it is not there. */
  leaf(segments: readonly Segment[]): Leaf {
    return insert(this.#root, segments, this.#makeLeaf);
  }

  /** Finds the best fit that `choose` takes. `captures` then has the path's values of the placeholders. */
  find<Found>(path: string, captures: string[], choose: Choose<Leaf, Found>): Found | undefined {
    searches++;
    return walk(this.#root, path, 1, captures, choose);
  }
}

function insert<Leaf>(node: Node<Leaf>, segments: readonly Segment[], makeLeaf: () => Leaf): Leaf {
  for (const [index, segment] of segments.entries()) {
    switch (segment.type) {
      case "literal":
        node = literalChild(node, segment.text);
        break;
      case "parameter":
        node = node.parameter ??= emptyNode();
        break;
      case "partial":
        node = partialChild(node, segment);
        break;
      case "remainder":
        return insertTail(
          node.remainder ??= { led: [], literals: new Map(), tails: [] },
          segments.slice(index + 1),
          makeLeaf,
        );
    }
  }
  return node.leaf ??= makeLeaf();
}

function insertTail<Leaf>(
  { led, literals, tails: others }: Remainder<Leaf>,
  segments: readonly Segment[],
  makeLeaf: () => Leaf,
): Leaf {
  const [first] = segments;
  if (segments.length === 1 && first.type === "literal") return child(literals, first.text, makeLeaf);
  const tails = first?.type === "literal" ? led : others;
  const key = JSON.stringify(segments.map((segment) => segment.type === "literal" ? segment : shape(segment)));
  let tail = tails.find((tail) => tail.key === key);
  if (tail === undefined) {
    const fixed = segments.every(({ type }) => type !== "remainder");
    tail = { key, segments, node: emptyNode(), fixed, search: 0, failed: Infinity };
    tails.push(tail);
    tails.sort((a, b) => compareSegments(a.segments, b.segments));
  }
  return insert(tail.node, segments, makeLeaf);
}

function emptyNode<Leaf>(): Node<Leaf> {
  return {
    literals: [],
    partials: [],
    parameter: undefined,
    remainder: undefined,
    leaf: undefined,
  };
}

function child<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  let found = map.get(key);
  if (found === undefined) map.set(key, found = make());
  return found;
}

function literalChild<Leaf>(parent: Node<Leaf>, text: string): Node<Leaf> {
  const known = literalOf(parent, text);
  if (known !== undefined) return known;
  const made = { text, node: emptyNode<Leaf>() };
  const all = [...parent.literals.flat(), made];
  // At least as many buckets as literals, so that most have one to themselves.
  const buckets: Literal<Leaf>[][] = Array.from({ length: 2 ** Math.ceil(Math.log2(all.length)) }, () => []);
  for (const one of all) bucketOf(buckets, one.text).push(one);
  parent.literals = buckets;
  return made.node;
}

/** The bucket of a literal: by its length and its first, middle and last characters. */
function bucketOf<Leaf>(buckets: Literal<Leaf>[][], text: string): Literal<Leaf>[] {
  const { length } = text;
  if (length === 0) return buckets[0];
  const ends = text.charCodeAt(0) * 31 + text.charCodeAt(length - 1);
  return buckets[((length * 31 + ends) * 31 + text.charCodeAt(length >> 1)) & (buckets.length - 1)];
}

/** The node behind a literal. */
function literalOf<Leaf>({ literals }: Node<Leaf>, text: string): Node<Leaf> | undefined {
  if (literals.length === 0) return undefined;
  const alike = bucketOf(literals, text);
  for (let i = 0; i < alike.length; i++) if (alike[i].text === text) return alike[i].node;
}

function shape(segment: Segment): unknown {
  return segment.type === "partial" ? segment.parts.map((part) => "text" in part ? part.text : 0) : segment.type;
}

function partialChild<Leaf>(node: Node<Leaf>, segment: Segment & { type: "partial" }): Node<Leaf> {
  const key = JSON.stringify(shape(segment));
  const known = node.partials.find((partial) => partial.key === key);
  if (known !== undefined) return known.node;
  const made = { key, matcher: partialMatcher(segment), weight: weightOf(segment), node: emptyNode<Leaf>() };
  node.partials.push(made);
  node.partials.sort((a, b) => b.weight - a.weight);
  return made.node;
}

function walk<Leaf, Found>(
  node: Node<Leaf>,
  path: string,
  start: number,
  captures: string[],
  choose: Choose<Leaf, Found>,
): Found | undefined {
  const slash = path.indexOf("/", start);
  const end = slash < 0 ? path.length : slash;
  // A text of its own: engines take longer to look into a part of another.
  const text = path.slice(start, end);
  const next = literalOf(node, text);
  if (next !== undefined) {
    const found = step(next, path, end, captures, choose);
    if (found !== undefined) return found;
  }
  if (end > start) {
    const kept = captures.length;
    for (const partial of node.partials) {
      if (!matchPartial(partial.matcher, text, captures)) continue;
      const found = step(partial.node, path, end, captures, choose);
      if (found !== undefined) return found;
      captures.length = kept;
    }
    if (node.parameter !== undefined) {
      captures.push(text);
      const found = step(node.parameter, path, end, captures, choose);
      if (found !== undefined) return found;
      captures.length = kept;
    }
  }
  return node.remainder === undefined ? undefined : walkRemainder(node.remainder, path, start, captures, choose);
}

function step<Leaf, Found>(
  node: Node<Leaf>,
  path: string,
  end: number,
  captures: string[],
  choose: Choose<Leaf, Found>,
): Found | undefined {
  if (end < path.length) return walk(node, path, end + 1, captures, choose);
  return node.leaf === undefined ? undefined : choose(node.leaf);
}

function walkRemainder<Leaf, Found>(
  { led, literals, tails }: Remainder<Leaf>,
  path: string,
  start: number,
  captures: string[],
  choose: Choose<Leaf, Found>,
): Found | undefined {
  const longer = led.length === 0 ? undefined : walkTails(led, path, start, captures, choose);
  if (longer !== undefined) return longer;
  const last = path.lastIndexOf("/");
  const leaf = last > start ? literals.get(path.slice(last + 1)) : undefined;
  if (leaf !== undefined) {
    captures.push(path.slice(start, last));
    const found = choose(leaf);
    if (found !== undefined) return found;
    captures.pop();
  }
  return walkTails(tails, path, start, captures, choose);
}

function walkTails<Leaf, Found>(
  tails: readonly Tail<Leaf>[],
  path: string,
  start: number,
  captures: string[],
  choose: Choose<Leaf, Found>,
): Found | undefined {
  const kept = captures.length;
  for (const tail of tails) {
    const { segments: { length }, node, fixed } = tail;
    if (length === 0) {
      if (start >= path.length || node.leaf === undefined) continue;
      captures.push(path.slice(start));
      const found = choose(node.leaf);
      if (found !== undefined) return found;
      captures.length = kept;
      continue;
    }
    if (tail.search !== searches) Object.assign(tail, { search: searches, failed: Infinity });
    // The remainder takes as much as it can. Whether the rest after a cut fits does not depend on where the remainder
    // began: no place is tried twice.
    let cut = path.lastIndexOf("/", tail.failed - 1);
    for (let behind = 1; cut > start && !(fixed && behind > length); behind++) {
      if (!fixed || behind === length) {
        captures.push(path.slice(start, cut));
        const found = walk(node, path, cut + 1, captures, choose);
        if (found !== undefined) return found;
        captures.length = kept;
      }
      if (!fixed) tail.failed = cut;
      cut = path.lastIndexOf("/", cut - 1);
    }
  }
  return undefined;
}
