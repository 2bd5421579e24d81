import type { Plan, Segment } from "./plan_types.ts";
import { isOddPath, normalisePath } from "./request_path.ts";
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

/** A version at the head of a path, and what stands behind its letter. */
const HEAD = /^\/(v(\d[\dA-Za-z.-]*))\//;

/** Finds routes by method and path. Of several that fit, the most specific is found; a version is read as one where a route fits behind it. */
export abstract class Router<Value> {
  readonly #methods: ReadonlySet<string>;
  /** First segments, which are no versions even if they look like one. */
  readonly #words: ReadonlySet<string>;
  readonly #versioned: boolean;

  constructor(routes: readonly Route<Value>[]) {
    this.#methods = new Set(routes.map(({ plan }) => plan.method));
    this.#words = new Set(routes.flatMap(({ plan, aliases }) => firstWords(plan.segments, aliases)));
    this.#versioned = routes.some(({ versioned }) => versioned);
  }

  /** Finds the route of a path as it stands; behind a version, one that takes a version. */
  protected abstract find(
    method: string,
    path: string,
    query: string,
    version: string | undefined,
  ): Match<Value> | undefined;

  /**
   * Finds the route of a request.
   *
   * @param path The path as it came, percent-encoded
   * @param query The query without its question mark
   */
  match(method: string, path: string, query: string): Match<Value> | undefined {
    const found = this.#match(method, path, query);
    if (found?.captures.length === 0 || !isOddPath(path)) return found;
    return this.#match(method, normalisePath(path), query);
  }

  /** The methods that would find a route for this path. */
  methods(path: string, query: string): string[] {
    return [...this.#methods].filter((method) => this.match(method, path, query)).sort();
  }

  #match(method: string, path: string, query: string): Match<Value> | undefined {
    const head = this.#versioned && HEAD.exec(path);
    const found = head && !this.#words.has(head[1]) &&
      this.find(method, path.slice(head[1].length + 1), query, head[2]);
    return found || this.find(method, path, query, undefined);
  }
}

/** Makes a router of routes. */
export type MakeRouter = <Value>(routes: readonly Route<Value>[]) => Router<Value>;

/** The spellings of a path's first segment, where that is a literal: as it stands, and each of its aliases. */
export function firstWords([first]: readonly Segment[], aliases: Route<unknown>["aliases"] = {}): readonly string[] {
  return first.type === "literal"
    ? [first.text, ...(Object.hasOwn(aliases, first.text) ? aliases[first.text] : [])]
    : [];
}

/** What a request must be beyond method and path. */
export type Condition = (query: string, version: string | undefined) => boolean;

/** The conditions of an operation. Of those with the same path, the one with more of them is asked first; among equals, the first defined. */
export function conditionsOf({ present, constants, versionsText }: Plan): readonly Condition[] {
  const wanted: (readonly [name: string, value?: string])[] = [...present.map((name) => [name] as const), ...constants];
  const conditions = wanted.map(([name, value]): Condition => (query) => new URLSearchParams(query).has(name, value));
  const fits = versionsText && parseVersions(versionsText);
  if (fits) conditions.push((_query, version) => fits(version));
  return conditions;
}
