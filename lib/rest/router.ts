import type { Plan, Segment } from "./plan_types.ts";
import { isOddPath, normalisePath } from "./request_path.ts";
import { RouteTrie } from "./route_trie.ts";
import { parseVersions } from "./version.ts";

/** A plan and what is to be found by it. */
export interface Route<Value> {
  readonly plan: Plan;
  /** Whether a version may stand before the path. */
  readonly versioned: boolean | undefined;
  /** Other spellings of the first segment. */
  readonly aliases: Readonly<Record<string, readonly string[]>> | undefined;
  readonly value: Value;
}

/** The route of a request. */
export interface Match<Value> {
  readonly value: Value;
  /** What the path says of each placeholder, in order, as it stands in the path. */
  readonly captures: readonly string[];
  readonly version: string | undefined;
}

interface Candidate<Value> {
  readonly value: Value;
  readonly conditions: number;
  readonly holds: ((query: string, version: string | undefined) => boolean) | undefined;
}

type Candidates<Value> = Candidate<Value>[];

interface Table<Value> {
  readonly fixed: Map<string, Candidates<Value>>;
  readonly trie: RouteTrie<Candidates<Value>>;
}

const NONE: readonly string[] = [];

/** Finds routes by method and path: paths without placeholders in a map, all others in a trie, one of each per method. */
export class Router<Value> {
  readonly #plain = new Map<string, Table<Value>>();
  readonly #versioned = new Map<string, Table<Value>>();
  /** First segments that look like a version but are not. */
  readonly #versionLike = new Set<string>();

  constructor(routes: Iterable<Route<Value>>) {
    for (const route of routes) {
      for (const segments of spellingsOf(route.plan.segments, route.aliases)) {
        add(this.#plain, route, segments);
        if (route.versioned) add(this.#versioned, route, segments);
        const [first] = segments;
        if (first.type === "literal" && VERSION.test(`/${first.text}/`)) this.#versionLike.add(first.text);
      }
    }
  }

  /**
   * Finds the route of a request.
   *
   * @param path The path as it came, percent-encoded
   * @param query The query without its question mark
   */
  match(method: string, path: string, query: string): Match<Value> | undefined {
    const found = this.#match(method, path, query);
    if (found !== undefined && (found.captures.length === 0 || !isOddPath(path))) return found;
    if (!isOddPath(path)) return undefined;
    return this.#match(method, normalisePath(path), query);
  }

  /** The methods that would find a route for this path. */
  methods(path: string, query: string): string[] {
    return [...this.#plain.keys()].filter((method) => this.match(method, path, query) !== undefined).sort();
  }

  #match(method: string, path: string, query: string): Match<Value> | undefined {
    // "/v" and a digit
    if (path.charCodeAt(1) === 118 && this.#versioned.size > 0) {
      const head = VERSION.exec(path);
      if (head !== null && !this.#versionLike.has(head[1])) {
        const table = this.#versioned.get(method);
        const found = table && lookUp(table, path.slice(head[1].length + 1), query, head[2]);
        if (found !== undefined) return found;
      }
    }
    const table = this.#plain.get(method);
    return table && lookUp(table, path, query, undefined);
  }
}

/** A version at the head of a path, and what stands behind its letter. */
const VERSION = /^\/(v(\d[\dA-Za-z.-]*))\//;

function lookUp<Value>(
  table: Table<Value>,
  path: string,
  query: string,
  version: string | undefined,
): Match<Value> | undefined {
  const fixed = table.fixed.get(path);
  if (fixed !== undefined) {
    const candidate = choose(fixed, query, version);
    if (candidate !== undefined) return { value: candidate.value, captures: NONE, version };
  }
  const captures: string[] = [];
  const candidate = table.trie.find(path, captures, (leaf) => choose(leaf, query, version));
  return candidate && { value: candidate.value, captures, version };
}

function choose<Value>(
  candidates: Candidates<Value>,
  query: string,
  version: string | undefined,
): Candidate<Value> | undefined {
  for (let i = 0; i < candidates.length; i++) {
    const { holds } = candidates[i];
    if (holds === undefined || holds(query, version)) return candidates[i];
  }
  return undefined;
}

/** A path in all its spellings: as it stands, and with each alias of its first segment. */
export function spellingsOf(segments: readonly Segment[], aliases: Route<unknown>["aliases"]): (readonly Segment[])[] {
  const [first, ...rest] = segments;
  if (first?.type !== "literal" || !aliases || !Object.hasOwn(aliases, first.text)) return [segments];
  return [segments, ...aliases[first.text].map((text) => [{ type: "literal", text } as const, ...rest])];
}

function add<Value>(tables: Map<string, Table<Value>>, route: Route<Value>, segments: readonly Segment[]): void {
  const { method } = route.plan;
  let table = tables.get(method);
  if (table === undefined) {
    tables.set(method, table = { fixed: new Map(), trie: new RouteTrie<Candidates<Value>>(() => []) });
  }
  const candidate = toCandidate(route);
  const leaf = table.trie.leaf(segments);
  leaf.push(candidate);
  // Those with more conditions are asked first; among equals, the first defined.
  leaf.sort((a, b) => b.conditions - a.conditions);
  if (segments.every((segment) => segment.type === "literal")) {
    table.fixed.set("/" + segments.map((segment) => segment.text).join("/"), leaf);
  }
}

function toCandidate<Value>({ plan, value }: Route<Value>): Candidate<Value> {
  const { present, constants, versionsText } = plan;
  const versions = versionsText === undefined ? undefined : parseVersions(versionsText);
  const inQuery = present.length + constants.length;
  const conditions = inQuery + (versions === undefined ? 0 : 1);
  if (conditions === 0) return { value, conditions, holds: undefined };
  return {
    value,
    conditions,
    holds(query, version) {
      if (versions !== undefined && !versions(version)) return false;
      if (inQuery === 0) return true;
      if (query === "") return false;
      const given = new URLSearchParams(query);
      return present.every((name) => given.has(name)) &&
        constants.every(([name, value]) => given.getAll(name).includes(value));
    },
  };
}
