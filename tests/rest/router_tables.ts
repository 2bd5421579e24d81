import { z } from "../../handlers/wire/zod.ts";
import { api, rest } from "../../lib/rest/mod.ts";
import type { Plan, RestOptions } from "../../lib/rest/mod.ts";
import { PatternRouter } from "../../lib/rest/pattern_router.ts";
import type { MakeRouter } from "../../lib/rest/router.ts";
import { trieRouter } from "../../lib/rest/trie_router.ts";

/** The plans of operations with these tags; every argument is a text. */
export function plansOf(tags: readonly (string | [string, RestOptions])[]): readonly Plan[] {
  const operations = tags.map((entry) => {
    const [tag, options] = typeof entry === "string" ? [entry, {}] : entry;
    const args = [...tag.matchAll(/%v/g)].map(() => z.string());
    return [(tag + JSON.stringify(options)).replaceAll(".", "_"), rest(tag, args, [], options)] as const;
  });
  return api("x", Object.fromEntries(operations)).plans;
}

/** The two routers there are: what holds for one holds for the other. */
export const routers: Record<string, MakeRouter> = {
  TrieRouter: trieRouter,
  PatternRouter: (routes) => new PatternRouter(routes),
};
