import type { Authenticator } from "./auth.ts";
import { DefinitionError, problemsOfImplementation } from "./check/check.ts";
import { requireImplementations, requireOptions } from "./check/check_serving.ts";
import type { Handler, Platform } from "./context.ts";
import { handlerWith } from "./run/core_server.ts";
import { type Endpoint, makeEndpoint } from "./run/endpoint.ts";
import { HTTPError } from "./error.ts";
import { type HandlerOptions, partsOf, SERVER_PARTS } from "./handler.ts";
import type { Implementation } from "./implement.ts";
import { formatPattern } from "./route/pattern.ts";
import type { Plan, Segment } from "./plan/plan_types.ts";
import { cutPath, pathBehind, pathOfBase } from "./route/request_path.ts";
import { routePaths } from "./route/route_paths.ts";
import { compareSegments } from "./route/route_order.ts";
import type { Router } from "./route/router.ts";
import { trieRouter } from "./route/trie_router.ts";
import { type ResponseWriter, responseWriter } from "./run/write_response.ts";

/**
 * The operations of an API for another router: an entry for each endpoint, its pattern `METHOD /path` with the path in that router's own
 * spelling. A router that takes the method apart splits the pattern at the space. Operations of the same method and path, which a constant in the
 * query tells apart, are one entry. Its handler knows the other methods of the path too: registered for all methods, it answers HEAD,
 * OPTIONS and 405 as {@linkcode handler} does. Other spellings of a path, by alias or with a version before it, are entries of their own. The most
 * specific come first, for routers that take the first that fits.
 *
 * @param paramFormat How the router writes a parameter, with `%s` for its name: `:%s`, `{%s}`
 * @param remainderFormat How it writes a remainder: `:%s{.+}`, `{%s...}`. Without a `%s` it takes the rest of the path, as `*` does
 * @param options Those of {@linkcode handler}; what no pattern fits is the router's to answer
 * @throws {DefinitionError} listing everything that is wrong with the definition
 *
 * @example
 * ```ts
 * import { api, handlers, implement, int64, rest } from "./mod.ts";
 * const users = api("users.example.com", { Age: rest("GET /users/{id=%v}/age", [int64], [int64]) });
 * for (const [pattern, serve] of handlers(null, implement(users, { Age: (id) => id }), ":%s", ":%s{.+}")) {
 *   const [method, path] = pattern.split(" ");
 *   console.assert(method === "GET" && path === "/users/:id/age");
 *   console.assert(await (await serve(new Request("http://localhost/users/7/age"))).text() === "7");
 * }
 * ```
 */
export function handlers<Identity = unknown, State extends object = object>(
  auth: Authenticator<Identity> | null,
  implementation: Implementation<NoInfer<Identity>, NoInfer<State>>,
  paramFormat: string,
  remainderFormat: string,
  options: Omit<HandlerOptions<State>, "fallback"> = {},
): Iterable<[pattern: string, handler: Handler]> {
  requireImplementations(implementation);
  requireOptions(options);
  const { definition, functions } = implementation;
  checkImplementation(implementation);
  const parts = partsOf(options);
  const prefix = pathOfBase(options.prefix ?? definition.base);
  const groups = new Map<string, { segments: readonly Segment[]; plans: Plan[] }>();
  for (const { plan, segments } of routePaths(definition)) {
    const pattern = prefix + formatPattern({ segments }, paramFormat, remainderFormat);
    const group = groups.get(pattern) ?? { segments, plans: [] };
    if (!group.plans.includes(plan)) group.plans.push(plan);
    groups.set(pattern, group);
  }
  return [...groups].sort(([, a], [, b]) => compareSegments(a.segments, b.segments)).flatMap(([path, { plans }]) => {
    // Not by spreading: a linked API's functions are not enumerable.
    const group = { functions, definition: { ...definition, plans } };
    const serve = handlerWith(parts, auth, group, { onError: options.onError, use: options.use, prefix });
    const methods = new Set(plans.map(({ method }) => method));
    return [...methods].map((method): [string, Handler] => [`${method} ${path}`, serve]);
  });
}

function checkImplementation(implementation: Omit<Implementation, "expects">): void {
  const problems = problemsOfImplementation(implementation);
  if (problems.length > 0) throw new DefinitionError(problems);
}

/**
 * Each operation of an API alone, as a pure function of the request, by the name of its function. A request whose path or method is not the
 * operation's own is answered 404.
 *
 * @throws {DefinitionError} listing everything that is wrong with the definition
 *
 * @example
 * ```ts
 * import { api, endpoints, implement, int64, rest } from "./mod.ts";
 * const calculator = api("calculator.example.com", { Add: rest("GET /sum?a=%v&b=%v", [int64, int64], [int64]) });
 * const { Add } = endpoints(null, implement(calculator, { Add: (a, b) => a + b }));
 * console.assert(await (await Add(new Request("http://localhost/sum?a=1&b=2"))).text() === "3");
 * ```
 */
export function endpoints<Identity = unknown>(
  auth: Authenticator<Identity> | null,
  implementation: Implementation<NoInfer<Identity>>,
): Record<string, Handler> {
  return Object.fromEntries(serveEach(auth, implementation).map(([plan, serve]) => [plan.name, serve]));
}

function serveEach<Identity>(
  auth: Authenticator<Identity> | null,
  implementation: Implementation<NoInfer<Identity>>,
): [Plan, Handler][] {
  checkImplementation(implementation);
  const { base, plans, options } = implementation.definition;
  const responses = responseWriter(options, auth as Authenticator<unknown> | null, {}, SERVER_PARTS);
  const prefix = pathOfBase(base);
  return plans.map((plan) => {
    // As in `handler`: the types above have paired the authenticator with the functions.
    const checked = auth as Authenticator<unknown> | null;
    const endpoint = makeEndpoint(plan, implementation as Implementation, checked, responses);
    const router = trieRouter([{ plan, options, value: endpoint }]);
    return [plan, (request, platform = {}) => serveOne(router, plan, responses, prefix, request, platform)];
  });
}

function serveOne(
  router: Router<Endpoint>,
  { method, name, tag }: Plan,
  responses: ResponseWriter,
  prefix: string,
  request: Request,
  platform: Platform,
): Promise<Response> {
  const { path, query } = cutPath(request.url);
  const within = pathBehind(prefix, path);
  const match = within && router.match(request.method, within, query);
  if (match) return match.value(request, platform, query, match);
  const error = within && router.methods(within, query).length > 0
    ? new HTTPError(405, `Call "${name}": it takes ${method} only`, { kind: "method", headers: { allow: method } })
    : new HTTPError(404, `Call "${name}": "${path}" is not a path of "${tag}"`, { kind: "route" });
  return Promise.resolve(responses.error(error, { request, platform }));
}
