import type { APIOptions, HeaderContext } from "../definition.ts";

/** The headers of an API, ready to be put on responses. */
export interface FixedHeaders {
  /** Undefined when there are none. */
  readonly entries?: Record<string, string> | undefined;
  readonly perCall?: (context: HeaderContext) => HeadersInit;
}

/** Prepares the headers of an API. */
export function fixedHeaders(headers: APIOptions["headers"]): FixedHeaders {
  if (typeof headers === "function") return { perCall: headers };
  const all = new Headers(headers);
  // A record cannot say several cookies.
  return all.has("set-cookie") ? { perCall: () => all } : { entries: headers && Object.fromEntries(all) };
}

/** Sets headers on others; `Set-Cookie` and `Vary` are added to. */
export function setHeaders(target: Headers, source: HeadersInit | undefined): void {
  for (const [name, value] of source ? new Headers(source) : []) {
    if (name === "set-cookie" || name === "vary" && !value.includes(target.get(name) ?? "\n")) {
      target.append(name, value);
    } else target.set(name, value);
  }
}
