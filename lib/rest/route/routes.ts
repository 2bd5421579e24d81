/**
 * Routes as the platform's own `URLPattern`s, for routers, documents and tests of others.
 *
 * @module
 */
import type { Definition } from "../definition.ts";
import { escapeLiteral, patternOf } from "./pattern.ts";
import { pathOfBase } from "./request_path.ts";
import { routePaths, VERSION } from "./route_paths.ts";

/**
 * A path by which an operation is reached, as a `URLPattern` (URL Pattern Standard).
 *
 * @example
 * ```ts
 * import type { ListedRoute } from "./routes.ts";
 * const told = ({ name, method, pattern }: ListedRoute) => `${name}: ${method} ${pattern.pathname}`;
 * ```
 */
export interface ListedRoute {
  /** The operation's name. */
  readonly name: string;
  readonly method: string;
  /** Of the path only: any scheme, host and query fit. The groups have the names of the tag, other characters rewritten to `_`. */
  readonly pattern: URLPattern;
}

/**
 * Lists the routes of an API: one for each path of each operation, under the path of the API's base, with each alias, and with a version in front
 * where the API has versions. The server finds what these patterns fit. A runtime without `URLPattern` (Node 20 and 22) gets that of the
 * package `urlpattern-polyfill`, which is loaded then only.
 *
 * @example
 * ```ts
 * import { api, int64, rest } from "../mod.ts";
 * import { routesOf } from "./routes.ts";
 * const users = api("https://example.com/v1", { Age: rest("GET /users/{id=%v}/age", [int64], [int64]) });
 * const [{ method, pattern }] = await routesOf(users);
 * const found = pattern.exec("https://example.com/v1/users/7/age");
 * console.assert(method === "GET" && found?.pathname.groups.id === "7");
 * ```
 */
export async function routesOf(definition: Definition): Promise<readonly ListedRoute[]> {
  const Pattern = await loadURLPattern();
  const prefix = pathOfBase(definition.base);
  return routePaths(definition).map(({ plan: { name, method }, segments }) => {
    const path = patternOf({ segments });
    const versioned = segments[0] === VERSION ? path.replace("/:version", "/:version(v[0-9][0-9A-Za-z.\\-]*)") : path;
    // The path of a base is served without a slash at its end, too.
    const pathname = escapeLiteral(prefix) + (prefix !== "" && versioned === "/" ? "{/}?" : versioned);
    return { name, method, pattern: new Pattern({ pathname }) };
  });
}

async function loadURLPattern(): Promise<typeof URLPattern> {
  if ("URLPattern" in globalThis) return URLPattern;
  const polyfill = await import("npm:urlpattern-polyfill@10.1.0/urlpattern");
  // It implements the same standard under a class of its own.
  return polyfill.URLPattern as unknown as typeof URLPattern;
}
