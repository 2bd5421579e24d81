import type { Segment } from "../plan/plan_types.ts";
import { compareSegments } from "./route_order.ts";
import { requirePart } from "../error.ts";
import { escapeExpression } from "./plain_router.ts";
import { conditionsOf, type MakeRouter, routerOf } from "./router.ts";

/**
 * Makes routers that try a regular expression per route, the most specific first: little code, and searches that grow with the number of routes.
 * It is the part of a server with segments that are a literal in part, several remainders in a path, or operations that constants or the presence
 * of a query tell apart. Versions and aliases it leaves to {@linkcode trieRouter}.
 *
 * @throws {TypeError} for routes that take versions or aliases
 *
 * @example
 * ```ts
 * import { api, handlerWith, implement, patternRouter, rest } from "../server.ts";
 * const definition = api("x", { Day: rest("GET /t?kind=day"), Night: rest("GET /t?kind=night") });
 * const serve = handlerWith({ router: patternRouter }, null, implement(definition, { Day() {}, Night() {} }));
 * console.assert((await serve(new Request("http://localhost/t?kind=day"))).status === 204);
 * ```
 */
export const patternRouter: MakeRouter = (routes) => {
  const tried = routes.map((route) => {
    const { plan, options } = route;
    requirePart(
      !(options.versioned || options.aliases || plan.versionsText),
      plan.name,
      "trieRouter, for versions and aliases",
    );
    return { ...route, pattern: expressionOf(plan.segments), conditions: conditionsOf(plan) };
  }).sort((a, b) => compareSegments(a.plan.segments, b.plan.segments) || b.conditions.length - a.conditions.length);
  return routerOf(routes, (method, path, query) => {
    for (const { plan, pattern, conditions, value } of tried) {
      const match = method === plan.method && pattern.exec(path);
      if (match && conditions.every((holds) => holds(query))) return { value, captures: match.slice(1) };
    }
  });
};

function expressionOf(segments: readonly Segment[]): RegExp {
  let groups = 0;
  const source = segments.map((segment) =>
    "/" + partsOf(segment).map((part, index, parts) => {
      if ("text" in part) return escapeExpression(part.text);
      groups++;
      if (segment.type === "remainder") return "(.+)";
      // The text between two names is searched once (a lookahead does not backtrack): trying all places would take ever longer.
      const next = index < parts.length - 2 && parts[index + 1];
      return next && "text" in next ? `(?=([^/]+?)${escapeExpression(next.text)})\\${groups}` : "([^/]+)";
    }).join("")
  ).join("");
  // To find where two remainders part takes the square of the length, three the cube: a path that is too long for that (8192 for two) fits nothing.
  return RegExp(`^(?!.{${2 ** (52 / (source.split("(.+)").length + 1)) | 0}})${source}$`);
}

const partsOf = (segment: Segment) => segment.type === "partial" ? segment.parts : [segment];
