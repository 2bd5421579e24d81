import type { Segment } from "./plan_types.ts";
import { type Condition, conditionsOf, firstWords, type MakeRouter, type Match, type Route, Router } from "./router.ts";
import { RouteTrie } from "./route_trie.ts";

interface Candidate<Value> {
  readonly value: Value;
  readonly conditions: readonly Condition[];
}

type Table<Value> = RouteTrie<Candidate<Value>[]>;
type Tables<Value> = Map<string, Table<Value>>;

/** A router that walks a trie of segments for each method: searches that hardly grow with the number of routes. */
export class TrieRouter<Value> extends Router<Value> {
  readonly #plain: Tables<Value> = new Map();
  readonly #versioned: Tables<Value> = new Map();

  constructor(routes: readonly Route<Value>[]) {
    super(routes);
    for (const route of routes) {
      add(this.#plain, route);
      if (route.versioned) add(this.#versioned, route);
    }
  }

  protected override find(
    method: string,
    path: string,
    query: string,
    version: string | undefined,
  ): Match<Value> | undefined {
    const table = (version === undefined ? this.#plain : this.#versioned).get(method);
    const captures: string[] = [];
    const found = table?.find(path, captures, (leaf) => choose(leaf, query, version));
    return found && { value: found.value, captures, version };
  }
}

/**
 * Makes {@linkcode TrieRouter}s: the part of a server that routes by them.
 *
 * @example
 * ```ts
 * import { api, handlerWith, implement, rest, trieRouter } from "./server.ts";
 * const definition = api("x", { Ping: rest("GET /ping"), Pong: rest("GET /pong") });
 * const serve = handlerWith({ router: trieRouter }, null, implement(definition, { Ping() {}, Pong() {} }));
 * console.assert((await serve(new Request("http://localhost/pong"))).status === 204);
 * ```
 */
export const trieRouter: MakeRouter = (routes) => new TrieRouter(routes);

/** A path in all its spellings: as it stands, and with each alias of its first segment. */
export function spellingsOf(segments: readonly Segment[], aliases: Route<unknown>["aliases"]): (readonly Segment[])[] {
  const words = firstWords(segments, aliases);
  if (words.length < 2) return [segments];
  return words.map((text) => [{ type: "literal", text }, ...segments.slice(1)]);
}

function add<Value>(tables: Tables<Value>, { plan, aliases, value }: Route<Value>): void {
  let table = tables.get(plan.method);
  if (table === undefined) tables.set(plan.method, table = new RouteTrie<Candidate<Value>[]>(() => []));
  const candidate = { value, conditions: conditionsOf(plan) };
  for (const segments of spellingsOf(plan.segments, aliases)) {
    const leaf = table.leaf(segments);
    leaf.push(candidate);
    leaf.sort((a, b) => b.conditions.length - a.conditions.length);
  }
}

function choose<Value>(
  candidates: readonly Candidate<Value>[],
  query: string,
  version: string | undefined,
): Candidate<Value> | undefined {
  for (let i = 0; i < candidates.length; i++) {
    const { conditions } = candidates[i];
    if (conditions.length === 0 || conditions.every((holds) => holds(query, version))) return candidates[i];
  }
}
