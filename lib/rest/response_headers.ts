import type { APIOptions, HeaderContext } from "./definition.ts";

/** The headers of an API, ready to be put on responses. */
export interface FixedHeaders {
  readonly entries: readonly (readonly [string, string])[];
  readonly perCall: ((context: HeaderContext) => HeadersInit) | undefined;
}

/** Prepares the headers of an API. */
export function fixedHeaders(headers: APIOptions["headers"]): FixedHeaders {
  if (typeof headers === "function") return { entries: [], perCall: headers };
  return { entries: headers === undefined ? [] : [...new Headers(headers)], perCall: undefined };
}

/** Sets headers on others; `Set-Cookie` and `Vary` are added to. */
export function setHeaders(target: Headers, source: HeadersInit | undefined): void {
  if (source === undefined) return;
  for (const [name, value] of new Headers(source)) {
    if (name === "set-cookie" || name === "vary") target.append(name, value);
    else target.set(name, value);
  }
}

/** Sets headers on a response, which is made anew only where its own are immutable. */
export function withHeaders(response: Response, change: (headers: Headers) => void): Response {
  try {
    change(response.headers);
    return response;
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
  }
  const headers = new Headers(response.headers);
  change(headers);
  return new Response(response.body, { status: response.status, statusText: response.statusText, headers });
}
