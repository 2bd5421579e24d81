import type { Authenticator } from "../auth.ts";
import { HTTPError } from "../error.ts";

/** Whether a browser says that a page of another site sends the request: by Fetch Metadata, or by an origin that is not the request's own. */
export function isCrossSite({ headers, url }: Request): boolean {
  const site = headers.get("sec-fetch-site");
  if (site) return !/^(same-origin|none)$/.test(site);
  const origin = headers.get("origin");
  // A proxy may have taken TLS off, so the scheme is not compared.
  return origin !== null && origin.replace(/^.*:\/\//, "") !== new URL(url).host;
}

/**
 * Refuses a request of another site's page that the browser sends without asking first, with the user's cookies: unless `cors` of the
 * authenticator grants it. A grant to everybody (`*`) is none for a request with cookies.
 *
 * @param what The part of the request that the browser does not ask about
 * @throws {HTTPError} 403
 */
export function refuseCrossSite(request: Request, auth: Authenticator<unknown> | null, what: string): void {
  if (!isCrossSite(request)) return;
  const granted = new Headers(auth?.cors?.(request)).get("access-control-allow-origin");
  const { headers } = request;
  if (granted === "*" ? headers.has("cookie") : !granted || granted !== headers.get("origin")) {
    throw new HTTPError(403, `Refuse ${what}: another site sends it, without a grant`, { kind: "auth" });
  }
}

/** Whether a browser sends a body of this type anywhere without a preflight (Fetch Standard, section 2.2.2). */
export const isUnasked = (type: string): boolean => /(\/plain|form-data|urlencoded)$/.test(type);
