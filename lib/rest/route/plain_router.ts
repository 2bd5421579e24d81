import { type Match, type Route, Router } from "./router.ts";

/**
 * A router that tries a regular expression for each route, the most specific first: for few routes, whose segments are each a literal or a
 * parameter, or the one remainder. {@linkcode patternRouter} and {@linkcode trieRouter} are the parts for all others.
 */
export class PlainRouter<Value> extends Router<Value> {
  readonly #routes: readonly (Route<Value> & { readonly pattern: RegExp; readonly order: string })[];

  /** @throws {TypeError} for a route that takes another router */
  constructor(routes: readonly Route<Value>[]) {
    super(routes);
    this.#routes = routes.map((route) => {
      const { plan: { name, segments, present, constants, versionsText }, versioned, aliases } = route;
      let remainders = 0;
      const source = segments.map((segment) =>
        "/" +
        (segment.type === "literal"
          ? escapeExpression(segment.text)
          : segment.type === "parameter"
          ? "([^/]+)"
          : (remainders += segment.type === "partial" ? 2 : 1, "(.+)"))
      );
      if (versioned || aliases || versionsText || present.length || constants.length || remainders > 1) {
        throw new TypeError(`Route "${name}": it takes the part patternRouter, or trieRouter for versions and aliases`);
      }
      // Literals come before parameters, these before remainders; behind a remainder, more segments are more specific.
      const order = segments.map(({ type }) => type[0]).join("") + "z";
      return { ...route, pattern: RegExp(`^${source.join("")}$`), order };
    }).sort((a, b) => a.order < b.order ? -1 : 1);
  }

  protected override find(method: string, path: string): Match<Value> | undefined {
    for (const { plan, pattern, value } of this.#routes) {
      const match = method === plan.method && pattern.exec(path);
      if (match) return { value, captures: match.slice(1) };
    }
  }
}

/** A text as a regular expression takes it for itself. */
export const escapeExpression = (text: string): string => text.replaceAll(/[$()*+.?[\\\]^{|}]/g, "\\$&");
