import type { APIOptions } from "../definition.ts";
import type { Plan } from "../plan/plan_types.ts";
import { normalisePath } from "./request_path.ts";

/** A plan and what is to be found by it. */
export interface Route<Value> {
  readonly plan: Plan;
  /** The options of its API: whether a version may stand before the path, and other spellings of the first segment. */
  readonly options: Pick<APIOptions, "versioned" | "aliases">;
  readonly value: Value;
}

/** The route of a request. */
export interface Match<Value> {
  readonly value: Value;
  /** The text of each placeholder, in order, as it stands in the path. */
  readonly captures: readonly string[];
  readonly version?: string | undefined;
}

/** Finds routes by method and path. Of several that fit, the most specific is found. */
export interface Router<Value> {
  /**
   * Finds the route of a request.
   *
   * @param path The path as it came, percent-encoded
   * @param query The query without its question mark
   */
  match(method: string, path: string, query: string): Match<Value> | undefined;

  /**
   * The methods that would find a route for this path, in any order; without one, those of all routes.
   *
   * @param failed The method that is known to find none
   */
  methods(path?: string, query?: string, failed?: string): readonly string[];
}

/** Makes a router of what finds the route of a path as it stands. */
export function routerOf<Value>(routes: readonly Route<Value>[], find: Router<Value>["match"]): Router<Value> {
  const all = [...new Set(routes.map(({ plan }) => plan.method))];
  const match: typeof find = (method, path, query) => {
    const found = find(method, path, query);
    if (found?.captures.length === 0) return found;
    const normal = normalisePath(path);
    const right = normal === path ? found : find(method, normal, query);
    // HEAD is answered as GET, unless it has a route of its own (RFC 9110, section 9.3.2).
    return right ?? (method === "HEAD" ? match("GET", path, query) : undefined);
  };
  return {
    match,
    methods(path, query = "", failed) {
      const right = path && normalisePath(path);
      const known = all.filter((method) => !right || method !== failed && find(method, right, query));
      // HEAD comes with each GET.
      return known.includes("GET") ? [...known, "HEAD"] : known;
    },
  };
}

/** Makes a router of routes. */
export type MakeRouter = <Value>(routes: readonly Route<Value>[]) => Router<Value>;

/** A condition on a request beyond method and path. */
export type Condition = (query: string) => boolean;

/** The conditions of an operation. Of those with the same path, the one with more of them is asked first; among equals, the first defined. */
export function conditionsOf({ present, constants }: Plan): readonly Condition[] {
  const wanted: (readonly [name: string, value?: string])[] = [...present.map((name) => [name] as const), ...constants];
  return wanted.map(([name, value]) => (query) => new URLSearchParams(query).has(name, value));
}
