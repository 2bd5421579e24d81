import { cutPath } from "../lib/rest/route/request_path.ts";

/** A path with a slash twice. Each request comes by, so the URL is read as it stands. */
const DOUBLED = /^[a-z]+:\/\/[^/?#]*[^?#]*?\/\//;

/**
 * Returns the answer to a request whose path has a slash twice, as naive clients write it that join a base and a path: 301 to the path with one
 * slash, which Podman's router answers. `undefined` for every other request.
 */
export function redirectDoubled(request: Request): Response | undefined {
  if (!DOUBLED.test(request.url)) return undefined;
  const { path, query } = cutPath(request.url);
  const location = path.replace(/\/{2,}/g, "/") + (query && `?${query}`);
  return new Response(null, { status: 301, headers: { location } });
}
