import { HTTPError } from "./error.ts";
import { credentialOf } from "./channels/socket_protocols.ts";

/**
 * Decides who calls, what they may do and what they may learn of errors.
 *
 * @example
 * ```ts
 * import { type Authenticator, HTTPError } from "./mod.ts";
 * const localOnly: Authenticator<string> = {
 *   authenticate(request) {
 *     if (new URL(request.url).hostname !== "localhost") throw new HTTPError(401, "Authenticate: ask from here");
 *     return "someone here";
 *   },
 * };
 * console.assert(localOnly.authenticate(new Request("http://localhost/"), "Ping") === "someone here");
 * ```
 */
export interface Authenticator<Identity = unknown> {
  /**
   * Called before anything is decoded; its result is the call's identity. Throws an `HTTPError` 401 to refuse. A result of
   * `undefined`, `null` or `false` refuses too: a function that knows nobody, or forgets to return, lets nobody in.
   */
  authenticate(request: Request, name: string): Identity | Promise<Identity>;
  /** Called with the decoded arguments. Throws an `HTTPError` 403 to refuse. */
  authorize?(identity: Identity, request: Request, name: string, args: readonly unknown[]): void | Promise<void>;
  /** Called on every error going out; its result goes out instead. */
  redact?(error: unknown): unknown;
  /** The CORS headers this request is granted. */
  cors?(request: Request): HeadersInit | undefined;
  /** Its description in documents: a Security Scheme Object of OpenAPI 3.1. */
  readonly scheme?: Readonly<Record<string, unknown>>;
}

/**
 * Compares two texts in a time that tells nothing about where they differ.
 *
 * @example
 * ```ts
 * import { sameSecret } from "./mod.ts";
 * console.assert(await sameSecret("secret", "secret"));
 * console.assert(!await sameSecret("secreT", "secret"));
 * ```
 */
export async function sameSecret(given: string, expected: string): Promise<boolean> {
  const encoder = new TextEncoder();
  const [a, b] = await Promise.all([
    crypto.subtle.digest("SHA-256", encoder.encode(given)),
    crypto.subtle.digest("SHA-256", encoder.encode(expected)),
  ]);
  const left = new Uint8Array(a);
  const right = new Uint8Array(b);
  let difference = 0;
  for (let i = 0; i < left.length; i++) difference |= left[i] ^ right[i];
  return difference === 0;
}

function refuse(scheme: string, detail: string): HTTPError {
  return new HTTPError(401, `Authenticate: ${detail}`, { kind: "auth", headers: { "www-authenticate": scheme } });
}

/** Whether the result of a check names a caller. */
const isIdentity = <Identity>(result: Identity | Refused): result is Identity => (result ?? false) !== false;

/**
 * Asks an authenticator who calls.
 *
 * @throws {HTTPError} 401 if it names nobody
 */
export async function identify<Identity>(
  auth: Authenticator<Identity>,
  request: Request,
  name: string,
): Promise<Identity> {
  const identity = await auth.authenticate(request, name);
  if (!isIdentity(identity)) throw new HTTPError(401, "Authenticate: nobody is known", { kind: "auth" });
  return identity;
}

/**
 * Checks that an authenticator is there, or left out on purpose with null. A misspelt name gives undefined in JavaScript, and
 * would let everybody in.
 *
 * @throws {TypeError} if it is neither
 */
export function requireAuthenticator(auth: unknown): void {
  if (auth === null || typeof (auth as Partial<Authenticator> | undefined)?.authenticate === "function") return;
  throw new TypeError("Serve the API: pass an authenticator, or null to let everybody call");
}

/** The result of a check for a caller that it does not know. */
type Refused = undefined | null | false;

/** The result of a check, at once or later. */
type Checked<Identity> = Identity | Refused | Promise<Identity | Refused>;

/**
 * Lets callers in that send `Authorization: Bearer TOKEN` (RFC 6750), or open a WebSocket with {@linkcode socketProtocols}.
 *
 * @param check The one token, compared in constant time, or a function that returns the identity; `undefined`, `null` and `false` refuse
 *
 * @example
 * ```ts
 * import { api, bearer, handler, implement, rest, stream } from "./mod.ts";
 * const hello = api("hello.example.com", { Hello: rest("GET /", [], [stream("text/plain")]) });
 * const auth = bearer((token) => token === "t0ken" ? { name: "ann" } : undefined);
 * const serve = handler(auth, implement(hello, { Hello: () => "hello" }));
 * const call = (authorization: string) => serve(new Request("http://localhost/", { headers: { authorization } }));
 * console.assert((await call("Bearer t0ken")).status === 200);
 * console.assert((await call("Bearer other")).status === 401);
 * ```
 */
export function bearer(check: string): Authenticator<string>;
export function bearer<Identity>(
  check: (token: string) => Checked<Identity>,
): Authenticator<Identity>;
export function bearer<Identity>(
  check: string | ((token: string) => Checked<Identity>),
): Authenticator<Identity | string> {
  requireCheck(check, "a token or a function that checks one");
  return {
    scheme: { type: "http", scheme: "bearer" },
    async authenticate(request) {
      const token = credentialOf(request.headers, "bearer");
      if (token === undefined) throw refuse("Bearer", "a bearer token is required");
      const identity = typeof check === "string"
        ? await sameSecret(token, check) ? "bearer" : undefined
        : await check(token);
      if (!isIdentity(identity)) throw refuse('Bearer error="invalid_token"', "the token is not known");
      return identity;
    },
  };
}

/**
 * Lets callers in that send `Authorization: Basic …` (RFC 7617), or open a WebSocket with {@linkcode socketProtocols}.
 *
 * @param check Returns the identity for a name and password, compare with {@linkcode sameSecret}; `undefined`, `null` and `false` refuse
 *
 * @example
 * ```ts
 * import { api, basic, handler, implement, rest, sameSecret, stream } from "./mod.ts";
 * const hello = api("hello.example.com", { Hello: rest("GET /", [], [stream("text/plain")]) });
 * const auth = basic(async (name, password) => await sameSecret(password, "pass") ? name : undefined);
 * const serve = handler(auth, implement(hello, { Hello: ({ identity }) => `hello ${identity}` }));
 * const headers = { authorization: `Basic ${btoa("ann:pass")}` };
 * console.assert(await (await serve(new Request("http://localhost/", { headers }))).text() === "hello ann");
 * ```
 */
export function basic<Identity>(
  check: (name: string, password: string) => Checked<Identity>,
  realm = "api",
): Authenticator<Identity> {
  requireCheck(check, "a function that checks a name and a password");
  const scheme = `Basic realm="${realm}", charset="UTF-8"`;
  return {
    scheme: { type: "http", scheme: "basic" },
    async authenticate(request) {
      const encoded = credentialOf(request.headers, "basic");
      if (encoded === undefined) throw refuse(scheme, "a name and password are required");
      const decoded = decodeCredentials(encoded);
      const colon = decoded?.indexOf(":") ?? -1;
      if (decoded === undefined || colon < 0) throw refuse(scheme, "the credentials cannot be read");
      const identity = await check(decoded.slice(0, colon), decoded.slice(colon + 1));
      if (!isIdentity(identity)) throw refuse(scheme, "the name or password is wrong");
      return identity;
    },
  };
}

function decodeCredentials(encoded: string): string | undefined {
  try {
    const bytes = Uint8Array.from(atob(encoded), (char) => char.charCodeAt(0));
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** A variable of the environment that is not set is told at the start, and not to each caller. */
function requireCheck(check: unknown, wanted: string): void {
  if (typeof check === "function" || typeof check === "string" && check !== "") return;
  throw new TypeError(
    `Make the authentication: expected ${wanted}, got ${check === "" ? "an empty text" : typeof check}`,
  );
}
