import { HTTPError } from "../error.ts";
import { isCrossSite } from "../run/cross_site.ts";
import type { Middleware } from "./middleware_stack.ts";

/** Methods that change nothing (RFC 9110, section 9.2.1). */
const SAFE = /^(GET|HEAD|OPTIONS)$/;

/**
 * Refuses requests with 403 that the page of another site makes a browser send with its user's cookies, and that may change something: all but
 * GET, HEAD and OPTIONS. Browsers say it by `Sec-Fetch-Site`, older ones by `Origin`; programs say neither and pass. Without it, bodies of JSON
 * and WebSockets are protected by themselves: it adds forms and requests without a body.
 *
 * @param origins Origins that may, such as `https://app.example.com`
 *
 * @example
 * ```ts
 * import { api, guardCSRF, handler, implement, rest, middlewareStack } from "../mod.ts";
 * const serve = handler(null, implement(api("x", { Leave: rest("POST /leave") }), { Leave() {} }), { use: middlewareStack().use(guardCSRF()) });
 * const leave = (site: string) =>
 *   serve(new Request("http://localhost/leave", { method: "POST", headers: { "sec-fetch-site": site } }));
 * console.assert((await leave("same-origin")).status === 204 && (await leave("cross-site")).status === 403);
 * ```
 */
export function guardCSRF({ origins = [] }: { readonly origins?: readonly string[] } = {}): Middleware {
  return ({ request }, next) => {
    const isGranted = SAFE.test(request.method) || origins.includes(request.headers.get("origin") ?? "");
    if (isGranted || !isCrossSite(request)) return next();
    throw new HTTPError(403, "Refuse the request: a page of another site sent it", { kind: "auth" });
  };
}
