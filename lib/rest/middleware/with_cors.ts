import type { Authenticator } from "../auth.ts";

/**
 * Options of {@linkcode withCORS}.
 *
 * @example
 * ```ts
 * import type { CORSOptions } from "../mod.ts";
 * const app: CORSOptions = { origins: ["https://app.example.com"], credentials: true, expose: ["etag"], maxAge: 600 };
 * ```
 */
export interface CORSOptions {
  /** The origins whose pages may read answers: a list, a function, or `*` for all, but without credentials. */
  readonly origins: "*" | readonly string[] | ((origin: string) => boolean);
  /** Whether pages may send the user's cookies and certificates; false by default. */
  readonly credentials?: boolean;
  /** The methods that pages may use; the one that they ask for, unless said. */
  readonly methods?: readonly string[];
  /** The headers that pages may send; those that they ask for, unless said. */
  readonly headers?: readonly string[];
  /** The headers that pages may read, beyond those of every answer, such as `ETag` and those that a tag names. */
  readonly expose?: readonly string[];
  /** Seconds for which a browser may keep the answer to its question; its own default, unless said. */
  readonly maxAge?: number;
}

/**
 * Lets pages of other origins call (CORS; Fetch Standard, section 3.2): an authenticator that answers as the given one does, and grants origins.
 * Preflights are answered before anybody is asked for credentials, and errors carry the grant too.
 *
 * @param auth Who may call; null for everybody
 * @throws {TypeError} if all origins would be granted credentials, or an origin is none
 *
 * @example
 * ```ts
 * import { api, bearer, withCORS, handler, implement, rest } from "../mod.ts";
 * const auth = withCORS({ origins: ["https://app.example.com"] }, bearer("secret"));
 * const serve = handler(auth, implement(api("x", { Ping: rest("GET /ping") }), { Ping() {} }));
 * const { headers, status } = await serve(new Request("http://localhost/ping", { headers: { origin: "https://app.example.com" } }));
 * console.assert(status === 401 && headers.get("access-control-allow-origin") === "https://app.example.com");
 * ```
 */
export function withCORS<Identity = unknown>(
  { origins, credentials = false, methods, headers: allowed, expose, maxAge }: CORSOptions,
  auth: Authenticator<Identity> | null = null,
): Authenticator<Identity> {
  if (origins === "*" && credentials) {
    throw new TypeError('Grant origins: "*" with credentials would let every page act for its visitors');
  }
  for (const origin of typeof origins === "object" ? origins : []) {
    if (!URL.canParse(origin) || new URL(origin).origin !== origin) {
      throw new TypeError(`Grant origins: "${origin}" is no origin, as in https://app.example.com`);
    }
  }
  const isGranted = (origin: string) =>
    origins === "*" || (typeof origins === "function" ? origins(origin) : origins.includes(origin));
  // Everybody has the same identity, of which nothing is known, as with null in its place.
  const everybody: Authenticator<Identity> = { authenticate: () => "anybody" as unknown as Identity };
  const { scheme, authorize, redact } = auth ?? everybody;
  return {
    scheme,
    // Called on the authenticator itself, which may be of a class.
    authenticate: (request, name) => (auth ?? everybody).authenticate(request, name),
    ...(authorize && { authorize: (...call) => authorize.call(auth, ...call) }),
    ...(redact && { redact: (error) => redact.call(auth, error) }),
    cors(request) {
      const origin = request.headers.get("origin");
      const made = new Headers(auth?.cors?.(request));
      if (origins !== "*") made.append("vary", "origin");
      if (origin === null || !isGranted(origin)) return made;
      made.set("access-control-allow-origin", origins === "*" ? "*" : origin);
      if (credentials) made.set("access-control-allow-credentials", "true");
      const asked = request.headers.get("access-control-request-method");
      if (request.method !== "OPTIONS" || asked === null) {
        if (expose) made.set("access-control-expose-headers", expose.join(", "));
        return made;
      }
      made.append("vary", "access-control-request-method, access-control-request-headers");
      made.set("access-control-allow-methods", methods?.join(", ") ?? asked);
      const wanted = allowed?.join(", ") ?? request.headers.get("access-control-request-headers");
      if (wanted) made.set("access-control-allow-headers", wanted);
      if (maxAge !== undefined) made.set("access-control-max-age", String(maxAge));
      return made;
    },
  };
}
