import { requirePart } from "../error.ts";
import { type MakeRouter, routerOf } from "./router.ts";

/**
 * Makes a router that tries a regular expression for each route, the most specific first: for few routes, whose segments are each a literal or a
 * parameter, or the one remainder. {@linkcode patternRouter} and {@linkcode trieRouter} are the parts for all others.
 *
 * @throws {TypeError} for a route that takes another router
 */
export const plainRouter: MakeRouter = (routes) => {
  const tried = routes.map(({ plan, options, value }) => {
    const { segments } = plan;
    // Literals come before parameters, these before remainders; behind a remainder, more segments are more specific.
    const order = [...segments.map((segment) => segment.type), "z"].join();
    const isMore = options.versioned || options.aliases || plan.versionsText || plan.present.length ||
      plan.constants.length ||
      /partial|(remainder.*){2}/.test(order);
    requirePart(!isMore, plan.name, "patternRouter, or trieRouter for versions and aliases");
    const source = segments.map((segment) =>
      "text" in segment ? escapeExpression(segment.text) : segment.type === "remainder" ? "(.+)" : "([^/]+)"
    );
    return { plan, order, pattern: RegExp(`^/${source.join("/")}$`), value };
  }).sort((a, b) => a.order < b.order ? -1 : 1);
  return routerOf(routes, (asked, path) => {
    for (const { plan, pattern, value } of tried) {
      const match = plan.method === asked && pattern.exec(path);
      if (match) return { value, captures: match.slice(1) };
    }
  });
};

/** A text as a regular expression takes it for itself. */
export const escapeExpression = (text: string): string => text.replaceAll(/\W/g, "\\$&");
