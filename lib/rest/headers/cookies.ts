import { HTTPError } from "../error.ts";
import { TOKEN } from "./names.ts";

/**
 * The attributes of a cookie (RFC 6265, section 4.1). A cookie is `HttpOnly`, `Secure` and `SameSite=Lax` with the path `/` unless they say
 * otherwise.
 *
 * @example
 * ```ts
 * import { type CookieOptions, cookieText } from "../mod.ts";
 * const week: CookieOptions = { maxAge: 7 * 24 * 3600, sameSite: "Strict" };
 * console.assert(cookieText("sid", "1", week) === "sid=1; Max-Age=604800; Path=/; HttpOnly; Secure; SameSite=Strict");
 * ```
 */
export interface CookieOptions {
  /** Seconds that it is kept; without this and `expires` until the browser closes. */
  readonly maxAge?: number;
  readonly expires?: Date;
  /** `/` by default. */
  readonly path?: string;
  /** The host that set it alone, unless said. */
  readonly domain?: string;
  /** Whether scripts of pages cannot read it; true by default. */
  readonly httpOnly?: boolean;
  /** Whether it travels over TLS only, and to localhost; true by default. */
  readonly secure?: boolean;
  /** With which requests of other sites it is sent; `Lax` by default. `None` wants `secure`. */
  readonly sameSite?: "Strict" | "Lax" | "None";
  /** Whether it is kept apart for each site that embeds the page (CHIPS). */
  readonly partitioned?: boolean;
}

/** The characters of a cookie's value (RFC 6265, section 4.1.1). */
const OCTETS = /^[\x21\x23-\x2B\x2D-\x3A\x3C-\x5B\x5D-\x7E]*$/;
/** The longest `Cookie` header that is read, in characters, and the most cookies in it. */
const MAX_LENGTH = 16_384;
const MAX_COOKIES = 256;

/**
 * Reads a `Cookie` header strictly by RFC 6265, section 4.2.1: pairs that are not of its grammar, as other programs of a host may set them, are
 * left out. Values are percent-decoded, and lose quotes around them.
 *
 * @returns The values by name; all of them where a name stands several times
 * @throws {HTTPError} 431 if it is longer than 16 KiB or has more than 256 cookies
 *
 * @example
 * ```ts
 * import { readCookies } from "../mod.ts";
 * const cookies = readCookies('sid=a%20b; odd value; theme="dark"');
 * console.assert(cookies.get("sid")?.[0] === "a b" && cookies.get("theme")?.[0] === "dark" && cookies.size === 2);
 * ```
 */
export function readCookies(header: string | null): Map<string, string[]> {
  const cookies = new Map<string, string[]>();
  if (!header) return cookies;
  const pairs = header.length > MAX_LENGTH ? [] : header.split("; ", MAX_COOKIES + 1);
  if (pairs.length === 0 || pairs.length > MAX_COOKIES) {
    throw new HTTPError(431, `Read the cookies: more than ${MAX_LENGTH} characters or ${MAX_COOKIES} cookies`);
  }
  for (const pair of pairs) {
    const equals = pair.indexOf("=");
    const [name, raw] = [pair.slice(0, Math.max(equals, 0)), pair.slice(equals + 1)];
    const value = decodeValue(/^".*"$/.test(raw) && raw.length > 1 ? raw.slice(1, -1) : raw);
    if (!TOKEN.test(name) || value === undefined) continue;
    const before = cookies.get(name);
    if (before) before.push(value);
    else cookies.set(name, [value]);
  }
  return cookies;
}

function decodeValue(text: string): string | undefined {
  if (!OCTETS.test(text)) return undefined;
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** Encodes a cookie's value: what is not of its characters, and percent signs, as UTF-8 in percent-encoding. */
export function encodeCookieValue(value: string): string {
  return value.replaceAll(/[^\x21\x23\x24\x26-\x2B\x2D-\x3A\x3C-\x5B\x5D-\x7E]+/g, encodeURIComponent);
}

/**
 * Writes a `Set-Cookie` (RFC 6265, section 4.1).
 *
 * @param value Percent-encoded where it must be; null has the browser forget the cookie
 * @throws {TypeError} if the name or an attribute cannot be sent, or browsers would refuse the cookie
 *
 * @example
 * ```ts
 * import { cookieText } from "../mod.ts";
 * console.assert(cookieText("sid", "a b") === "sid=a%20b; Path=/; HttpOnly; Secure; SameSite=Lax");
 * console.assert(cookieText("sid", null) === "sid=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Lax");
 * ```
 */
export function cookieText(name: string, value: string | null, options: CookieOptions = {}): string {
  const { expires, path = "/", domain, httpOnly = true, secure = true, sameSite = "Lax", partitioned } = options;
  const maxAge = value === null ? 0 : options.maxAge;
  const refuse = (detail: string): never => {
    throw new TypeError(`Write the cookie "${name}": ${detail}`);
  };
  if (!TOKEN.test(name)) refuse("its name is not a token");
  if (maxAge !== undefined && !Number.isSafeInteger(maxAge)) refuse("its age is not a whole number of seconds");
  if (expires && Number.isNaN(expires.getTime())) refuse("it expires at no time");
  if (!/^\/[\x20-\x3A\x3C-\x7E]*$/.test(path)) refuse(`"${path}" is not a path`);
  if (domain !== undefined && !/^[\w.-]+$/.test(domain)) refuse(`"${domain}" is not a domain`);
  if (sameSite !== undefined && !/^(Strict|Lax|None)$/.test(sameSite)) refuse(`"${sameSite}" is no SameSite`);
  if (!secure && (sameSite === "None" || partitioned || /^__(Secure|Host)-/i.test(name))) refuse("it has to be secure");
  if (/^__Host-/i.test(name) && (path !== "/" || domain !== undefined)) refuse('it has the path "/" and no domain');
  return [
    `${name}=${encodeCookieValue(value ?? "")}`,
    ...(maxAge === undefined ? [] : [`Max-Age=${maxAge}`]),
    ...(expires && value !== null ? [`Expires=${expires.toUTCString()}`] : []),
    ...(domain === undefined ? [] : [`Domain=${domain}`]),
    `Path=${path}`,
    ...(httpOnly ? ["HttpOnly"] : []),
    ...(secure ? ["Secure"] : []),
    `SameSite=${sameSite}`,
    ...(partitioned ? ["Partitioned"] : []),
  ].join("; ");
}
