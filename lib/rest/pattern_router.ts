import type { Segment } from "./plan_types.ts";
import { compareSegments } from "./route_order.ts";
import { type Condition, conditionsOf, firstWords, type Match, type Route, Router } from "./router.ts";

interface PatternRoute<Value> extends Route<Value> {
  readonly pattern: RegExp;
  readonly conditions: readonly Condition[];
}

/** A router that tries a regular expression per route, the most specific first: little code, and searches that grow with the number of routes. */
export class PatternRouter<Value> extends Router<Value> {
  readonly #routes: readonly PatternRoute<Value>[];

  constructor(routes: readonly Route<Value>[]) {
    super(routes);
    this.#routes = routes.map((route) => ({
      ...route,
      pattern: expressionOf(route),
      conditions: conditionsOf(route.plan),
    })).sort((a, b) => compareSegments(a.plan.segments, b.plan.segments) || b.conditions.length - a.conditions.length);
  }

  protected override find(
    method: string,
    path: string,
    query: string,
    version: string | undefined,
  ): Match<Value> | undefined {
    for (const { plan, pattern, conditions, value, versioned } of this.#routes) {
      const isOpen = method === plan.method && (versioned || version === undefined);
      const match = isOpen && pattern.exec(path);
      if (match && conditions.every((holds) => holds(query, version))) {
        return { value, captures: match.slice(1), version };
      }
    }
  }
}

function expressionOf({ plan: { segments }, aliases }: Route<unknown>): RegExp {
  let groups = 0;
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
  ).join("");
  // To find where two remainders part takes the square of the length, three the cube: a path that is too long for that (8192 for two) fits nothing.
  return RegExp(`^(?!.{${2 ** (52 / (source.split("(.+)").length + 1)) | 0}})${source}$`);
}

const partsOf = (segment: Segment) => segment.type === "partial" ? segment.parts : [segment];

const escape = (text: string) => text.replaceAll(/[$()*+.?[\\\]^{|}]/g, "\\$&");
