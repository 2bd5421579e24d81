/**
 * Requests to a token server, and its answers: distribution's token authentication.
 *
 * @module
 */
import { toBase64 } from "../bytes/base64.ts";
import type { Challenge } from "./challenge.ts";
import { isObject } from "../json.ts";
import { RegistryError } from "./registry_error.ts";
import type { Exchange } from "./registry_http.ts";
import type { Credential } from "./registry_session.ts";

/** A bearer token. */
export interface Token {
  value: string;
  /** Milliseconds since the epoch. */
  expires: number;
}

/** Tokens without a term last this long (distribution's token specification). */
const TOKEN_SECONDS = 60;
/** Scopes of a challenge that are asked for. */
const SCOPE_LIMIT = 16;

/** The options of a token request. */
export interface TokenWish {
  realm: URL;
  challenge: Challenge["parameters"];
  /** Besides those of the challenge. */
  scopes: readonly (string | undefined)[];
  credential: Credential;
}

/** The request for a token: GET with Basic, or POST of an OAuth2 refresh token, which no redirect takes elsewhere. */
export function tokenRequest(
  { realm, challenge: { service, scope }, scopes, credential }: TokenWish,
): Pick<Exchange, "url" | "method" | "headers" | "body" | "isSecret"> {
  const { username, password = "", identityToken } = credential;
  const own = scopes.filter((item) => item !== undefined && item !== "");
  const offered = (scope ?? "").split(" ").filter((item) => item !== "").slice(0, SCOPE_LIMIT);
  const fields = new URLSearchParams(identityToken === undefined ? realm.search : "");
  if (service) fields.append("service", service);
  for (const item of new Set([...own, ...offered])) if (item !== undefined) fields.append("scope", item);
  if (identityToken !== undefined) {
    fields.append("grant_type", "refresh_token");
    fields.append("refresh_token", identityToken);
    fields.append("client_id", "gantry");
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    return { url: realm, method: "POST", headers, body: fields.toString(), isSecret: true };
  }
  if (username !== undefined) fields.append("account", username);
  const url = new URL(realm);
  url.search = fields.toString();
  return { url, headers: username === undefined ? {} : { authorization: basicCredentials(username, password) } };
}

/** Reads the token of an answer. Throws `RegistryError` (`protocol`) where there is none. */
export function readToken(body: Uint8Array): Token {
  let document: unknown;
  try {
    document = JSON.parse(new TextDecoder().decode(body));
  } catch (cause) {
    throw new RegistryError("protocol", "unable to retrieve auth token: the answer is not JSON", { cause });
  }
  const value = isObject(document) ? document.token || document.access_token : undefined;
  if (!isObject(document) || typeof value !== "string" || /[^\x21-\x7e]/.test(value)) {
    throw new RegistryError("protocol", "unable to retrieve auth token: the answer has no token");
  }
  const seconds = typeof document.expires_in === "number" ? document.expires_in : 0;
  return { value, expires: Date.now() + Math.max(seconds, TOKEN_SECONDS) * 1000 };
}

/** `Authorization` by user and password, RFC 7617. */
export function basicCredentials(username: string, password: string): string {
  return `Basic ${toBase64(new TextEncoder().encode(`${username}:${password}`))}`;
}
