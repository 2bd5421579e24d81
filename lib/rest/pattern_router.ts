import type { Segment } from "./plan_types.ts";
import { compareSegments } from "./route_order.ts";
import { type Condition, conditionsOf, firstWords, type Match, type Route, Router, VERSION } from "./router.ts";

/** Longer paths fit nothing: to find where two remainders part takes the square of the length. */
const MAX_LENGTH = 8192;

interface PatternRoute<Value> extends Route<Value> {
  readonly pattern: RegExp;
  readonly conditions: readonly Condition[];
}

/** A router that tries a regular expression per route, the most specific first: little code, and searches that grow with the number of routes. */
export class PatternRouter<Value> extends Router<Value> {
  readonly #routes: readonly PatternRoute<Value>[];

  constructor(routes: readonly Route<Value>[]) {
    super();
    this.#routes = routes.map((route) => ({
      ...route,
      pattern: expressionOf(route),
      conditions: conditionsOf(route.plan),
    })).sort((a, b) => compareSegments(a.plan.segments, b.plan.segments) || b.conditions.length - a.conditions.length);
  }

  protected override methodsKnown(): string[] {
    return this.#routes.map(({ plan }) => plan.method);
  }

  protected override find(method: string, path: string, query: string): Match<Value> | undefined {
    for (const { plan, pattern, conditions, value } of this.#routes) {
      const match = method === plan.method && path.length <= MAX_LENGTH && pattern.exec(path);
      if (!match) continue;
      const [, version, ...captures] = match;
      if (conditions.every((holds) => holds(query, version))) return { value, captures, version };
    }
  }
}

function expressionOf({ plan: { segments }, versioned, aliases }: Route<unknown>): RegExp {
  // The first group is the version.
  let groups = 1;
  const words = firstWords(segments, aliases).map(escape);
  const source = segments.map((segment, index) =>
    index === 0 && words.length > 0 ? `/(?:${words.join("|")})` : "/" + partsOf(segment).map((part, index, parts) => {
      if ("text" in part) return escape(part.text);
      groups++;
      if (segment.type === "remainder") return "(.+)";
      // What is between two names is looked for once (a lookahead is not gone back into): trying all places would take ever longer.
      const next = index < parts.length - 2 && parts[index + 1];
      return next && "text" in next ? `(?=([^/]+?)${escape(next.text)})\\${groups}` : "([^/]+)";
    }).join("")
  );
  return RegExp(`^${versioned ? `(?:/v(${VERSION}))?` : "()?"}${source.join("")}$`);
}

const partsOf = (segment: Segment) => segment.type === "partial" ? segment.parts : [segment];

const escape = (text: string) => text.replaceAll(/[$()*+.?[\\\]^{|}]/g, "\\$&");
