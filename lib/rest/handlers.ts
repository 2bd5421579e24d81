import type { Authenticator } from "./auth.ts";
import { Call } from "./call.ts";
import type { Handler, Platform } from "./context.ts";
import { Endpoint } from "./endpoint.ts";
import { HTTPError } from "./error.ts";
import { SERVER_PARTS } from "./handler.ts";
import type { Implementation } from "./implement.ts";
import { formatPattern } from "./pattern.ts";
import type { Plan } from "./plan_types.ts";
import { cutPath } from "./request_path.ts";
import { Router } from "./router.ts";

/**
 * The operations of an API for another router: patterns in its own spelling, each with a handler. Operations that share a pattern
 * share its handler, which tells them apart by method and query and answers 405 for the rest.
 *
 * @param paramFormat How the router writes a parameter, with `%s` for its name: `:%s`, `{%s}`
 * @param remainderFormat How it writes a remainder: `:%s{.+}`, `*`, `{%s...}`
 *
 * @example
 * ```ts
 * import { api, handlers, implement, int64, rest } from "./mod.ts";
 * const users = api("users.example.com", { Age: rest("GET /users/{id=%v}/age", [int64], [int64]) });
 * for (const [pattern, serve] of handlers(null, implement(users, { Age: (id) => id }), ":%s", ":%s{.+}")) {
 *   console.assert(pattern === "/users/:id/age");
 *   console.assert(await (await serve(new Request("http://localhost/users/7/age"))).text() === "7");
 * }
 * ```
 */
export function handlers<Identity = unknown>(
  auth: Authenticator<Identity> | null,
  implementation: Implementation<NoInfer<Identity>>,
  paramFormat: string,
  remainderFormat: string,
): Iterable<[pattern: string, handler: Handler]> {
  const groups = new Map<string, [Plan, Handler][]>();
  for (const [plan, serve] of serveEach(auth, implementation)) {
    const pattern = formatPattern(plan, paramFormat, remainderFormat);
    const group = groups.get(pattern);
    if (group === undefined) groups.set(pattern, [[plan, serve]]);
    else group.push([plan, serve]);
  }
  return [...groups].map(([pattern, group]) => [pattern, group.length === 1 ? group[0][1] : together(group)]);
}

/**
 * Each operation of an API alone, as a pure function of the request, by the name of its function. A request whose path or method is not the
 * operation's own is answered 404.
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
  const { plans, options } = implementation.definition;
  return plans.map((plan) => {
    // As in `handler`: the types above have paired the authenticator with the functions.
    const endpoint = new Endpoint(
      plan,
      implementation as Implementation,
      auth as Authenticator<unknown> | null,
      {},
      SERVER_PARTS,
    );
    const router = new Router([
      { plan, versioned: options.versioned === true, aliases: options.aliases ?? {}, value: endpoint },
    ]);
    return [plan, (request, platform = {}) => serveOne(router, endpoint, request, platform)];
  });
}

function serveOne(
  router: Router<Endpoint>,
  endpoint: Endpoint,
  request: Request,
  platform: Platform,
): Promise<Response> {
  const { path, query } = cutPath(request.url);
  const match = router.match(request.method, path, query);
  if (match !== undefined) {
    return endpoint.run(new Call(request, platform, endpoint.plan.name, match.version, query, match.captures));
  }
  const { method, name, tag } = endpoint.plan;
  const error = router.methods(path, query).length > 0
    ? new HTTPError(405, `Call "${name}": it takes ${method} only`, { kind: "method", headers: { allow: method } })
    : new HTTPError(404, `Call "${name}": "${path}" is not a path of "${tag}"`, { kind: "route" });
  return Promise.resolve(endpoint.errors.write(error, { request, platform }));
}

function together(group: readonly [Plan, Handler][]): Handler {
  return async (request, platform) => {
    let refused: Response | undefined;
    for (const [plan, serve] of group) {
      if (plan.method === request.method && conditionsHold(plan, request)) return serve(request, platform);
    }
    for (const [, serve] of group) {
      refused = await serve(request, platform);
      if (refused.status !== 404) break;
    }
    const allow = [...new Set(group.map(([plan]) => plan.method))].sort().join(", ");
    if (refused?.status === 405) refused.headers.set("allow", allow);
    return refused ?? new Response(null, { status: 404 });
  };
}

function conditionsHold(plan: Plan, request: Request): boolean {
  if (plan.present.length === 0 && plan.constants.length === 0) return true;
  const given = new URLSearchParams(cutPath(request.url).query);
  return plan.present.every((name) => given.has(name)) &&
    plan.constants.every(([name, value]) => given.getAll(name).includes(value));
}
