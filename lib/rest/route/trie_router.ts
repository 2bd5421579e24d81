import type { APIOptions } from "../definition.ts";
import type { Segment } from "../plan/plan_types.ts";
import { type Condition, conditionsOf, type MakeRouter, type Match, type Route, routerOf } from "./router.ts";
import { RouteTrie } from "./route_trie.ts";
import { parseVersions, type VersionTest } from "./version.ts";

interface Candidate<Value> {
  readonly value: Value;
  readonly conditions: readonly Condition[];
  readonly versions: VersionTest | undefined;
}

type Table<Value> = RouteTrie<Candidate<Value>[]>;
type Tables<Value> = Map<string, Table<Value>>;

/** A version at the head of a path, and what stands behind its letter. */
const HEAD = /^\/(v(\d[\dA-Za-z.-]*))\//;

function search<Value>(
  table: Table<Value> | undefined,
  path: string,
  query: string,
  version: string | undefined,
): Match<Value> | undefined {
  const captures: string[] = [];
  const found = table?.find(path, captures, (leaf) => choose(leaf, query, version));
  return found && { value: found.value, captures, version };
}

/**
 * Makes routers that walk a trie of segments for each method: searches that hardly grow with the number of routes. It is the part of a server of
 * many routes, and reads versions and aliases: a version at the head of a path is read as one where a route fits behind it.
 *
 * @example
 * ```ts
 * import { api, handlerWith, implement, rest, trieRouter } from "../server.ts";
 * const definition = api("x", { Ping: rest("GET /ping"), Pong: rest("GET /pong") });
 * const serve = handlerWith({ router: trieRouter }, null, implement(definition, { Ping() {}, Pong() {} }));
 * console.assert((await serve(new Request("http://localhost/pong"))).status === 204);
 * ```
 */
export const trieRouter: MakeRouter = <Value>(routes: readonly Route<Value>[]) => {
  const plain: Tables<Value> = new Map();
  const versioned: Tables<Value> = new Map();
  // First segments, which are no versions even if they look like one.
  const words = new Set(routes.flatMap(({ plan, options }) => firstWords(plan.segments, options.aliases)));
  for (const route of routes) {
    add(plain, route);
    if (route.options.versioned) add(versioned, route);
  }
  return routerOf(routes, (method, path, query) => {
    // Of most paths the first letter says that they have no version.
    const head = versioned.size > 0 && path.startsWith("/v") && HEAD.exec(path);
    return head && !words.has(head[1]) &&
        search(versioned.get(method), path.slice(head[1].length + 1), query, head[2]) ||
      search(plain.get(method), path, query, undefined);
  });
};

/** The spellings of a path's first segment, where that is a literal: as it stands, and each of its aliases. */
function firstWords([first]: readonly Segment[], aliases: APIOptions["aliases"] = {}): readonly string[] {
  return first.type === "literal"
    ? [first.text, ...(Object.hasOwn(aliases, first.text) ? aliases[first.text] : [])]
    : [];
}

/** A path in all its spellings: as it stands, and with each alias of its first segment. */
export function spellingsOf(segments: readonly Segment[], aliases: APIOptions["aliases"]): (readonly Segment[])[] {
  const words = firstWords(segments, aliases);
  if (words.length < 2) return [segments];
  return words.map((text) => [{ type: "literal", text }, ...segments.slice(1)]);
}

function add<Value>(tables: Tables<Value>, { plan, options: { aliases }, value }: Route<Value>): void {
  let table = tables.get(plan.method);
  if (table === undefined) tables.set(plan.method, table = new RouteTrie<Candidate<Value>[]>(() => []));
  const { versionsText } = plan;
  const versions = versionsText ? parseVersions(versionsText) : undefined;
  const candidate = { value, conditions: conditionsOf(plan), versions };
  for (const segments of spellingsOf(plan.segments, aliases)) {
    const leaf = table.leaf(segments);
    leaf.push(candidate);
    leaf.sort((a, b) => weightOf(b) - weightOf(a));
  }
}

const weightOf = ({ conditions, versions }: Candidate<unknown>) => conditions.length + (versions ? 1 : 0);

function choose<Value>(
  candidates: readonly Candidate<Value>[],
  query: string,
  version: string | undefined,
): Candidate<Value> | undefined {
  for (let i = 0; i < candidates.length; i++) {
    const { conditions, versions } = candidates[i];
    if (versions?.(version) === false) continue;
    if (conditions.length === 0 || conditions.every((holds) => holds(query))) return candidates[i];
  }
}
