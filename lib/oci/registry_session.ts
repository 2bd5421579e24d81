/**
 * What is known of one registry while a client lives: how it is reached, and who we are there.
 *
 * @module
 */
import { discard, readBody } from "./body.ts";
import { type Challenge, parseChallenges } from "./challenge.ts";
import { isObject } from "./json.ts";
import { DOCKER_HUB } from "./reference.ts";
import { errorOf, RegistryError } from "./registry_error.ts";
import {
  type Exchange,
  type ExchangeBody,
  exchangeWithRetries,
  type HTTPOptions,
  pauseBefore,
  refuseErrors,
} from "./registry_http.ts";
import { messageOf } from "./message_of.ts";
import { toBase64 } from "./base64.ts";

/** Who asks. `identityToken` is an OAuth2 refresh token, `registryToken` a ready bearer token. */
export interface Credential {
  username?: string;
  password?: string;
  identityToken?: string;
  registryToken?: string;
}

/** One request of a session. */
export interface SessionRequest {
  /** Begins with `/v2/`; or an address the registry gave for an upload. */
  path: string | URL;
  /** `GET`. */
  method?: Exchange["method"];
  headers?: Record<string, string>;
  /** Makes the body, anew for each attempt. */
  body?: () => ExchangeBody | Promise<ExchangeBody>;
  /** Asked of the token server besides the session's own scope. */
  scope?: string;
  /** Further attempts, where it is not as many as usual. */
  retries?: number;
  signal?: AbortSignal;
}

interface Token {
  value: string;
  /** Milliseconds since the epoch. */
  expires: number;
}

const TOKEN_BODY_LIMIT = 1024 * 1024;
/** Tokens without a term last this long (distribution's token specification); ones about to end are not used. */
const TOKEN_SECONDS = 60;
const TOKEN_MARGIN = 5_000;

/** One registry host, for one repository's reader or writer. */
export class RegistrySession {
  #base: Promise<URL> | undefined;
  #challenges: Challenge[] = [];
  #tokens = new Map<string, Promise<Token>>();

  constructor(
    private readonly http: HTTPOptions,
    /** As references have it. */
    readonly host: string,
    private readonly insecure: boolean,
    private readonly scope: string,
    private readonly credential: Credential,
  ) {}

  /**
   * The whole body of a 200 answer, at most `limit` bytes, asked for again when the connection breaks within it. `context`
   * begins the error texts.
   */
  async read(
    request: SessionRequest,
    context: string,
    limit: number,
  ): Promise<{ bytes: Uint8Array; headers: Headers }> {
    for (let attempt = 0;; attempt++) {
      const response = await refuseErrors(await this.send(request), context, [200]);
      try {
        return { bytes: await readBody(response, limit, this.http.timeout), headers: response.headers };
      } catch (cause) {
        request.signal?.throwIfAborted();
        const why = messageOf(cause);
        if (cause instanceof RangeError) throw new RegistryError("limit", `${context}: ${why}`, { cause });
        if (attempt >= this.http.retries) throw new RegistryError("unreachable", `${context}: ${why}`, { cause });
      }
      await this.http.sleep(pauseBefore(this.http, attempt), request.signal);
    }
  }

  /** Sends a request with whatever authentication the registry asked for; the answer may be any status. */
  async send(request: SessionRequest): Promise<Response> {
    const base = await this.#reach(request.signal);
    // A rejected token is replaced once; a second 401 stands.
    const response = await this.#send(base, request);
    if (response.status !== 401 || !this.#renew(response)) return response;
    await discard(response);
    return await this.#send(base, request);
  }

  /** Where a `Location` leads: relative to the registry's root, and never from HTTPS to plain HTTP. */
  async locate(location: string | null, signal?: AbortSignal): Promise<URL> {
    const base = await this.#reach(signal);
    const url = location !== null && URL.canParse(location, base) ? new URL(location, base) : undefined;
    if (url === undefined || !/^https?:$/.test(url.protocol)) {
      throw new RegistryError("protocol", `registry ${this.host} gave no address for the upload`);
    }
    if (base.protocol === "https:" && url.protocol === "http:" && !this.insecure) {
      // A proxy that ends TLS may not tell the registry behind it: the same host is meant.
      if (url.hostname !== base.hostname) {
        throw new RegistryError("protocol", `registry ${this.host} sends uploads from HTTPS to plain HTTP`);
      }
      return new URL(url.pathname + url.search, base);
    }
    url.username = url.password = "";
    return url;
  }

  #send(base: URL, { path, method, headers, body, scope, retries, signal }: SessionRequest): Promise<Response> {
    const http = retries === undefined ? this.http : { ...this.http, retries };
    return exchangeWithRetries(http, async (): Promise<Exchange> => {
      const url = new URL(path, base);
      // An upload may lead to a host that has no business with our credential.
      const authorization = url.origin === base.origin ? await this.#authorization(base, scope, signal) : undefined;
      return {
        url,
        method,
        headers: { ...headers, ...(authorization === undefined ? {} : { authorization }) },
        ...(body === undefined ? {} : { body: await body() }),
        insecure: this.insecure,
        signal,
      };
    });
  }

  /** Whether asking again with a new token may help, which is then arranged for. */
  #renew(response: Response): boolean {
    const offered = parseChallenges(response.headers.get("www-authenticate"));
    if (this.credential.registryToken !== undefined) return false;
    if (this.#tokens.size > 0) {
      this.#tokens.clear();
      if (offered.some(({ scheme }) => scheme === "bearer")) this.#challenges = offered;
      return true;
    }
    // The registry's root was open, this repository is not.
    if (this.#challenges.length > 0 || offered.length === 0) return false;
    this.#challenges = offered;
    return true;
  }

  /** The registry's root, found once: HTTPS first, then, where it is marked insecure, plain HTTP. */
  #reach(signal?: AbortSignal): Promise<URL> {
    this.#base ??= this.#ping(signal).catch((error) => {
      this.#base = undefined;
      throw error;
    });
    return this.#base;
  }

  async #ping(signal?: AbortSignal): Promise<URL> {
    const host = this.host === DOCKER_HUB ? "registry-1.docker.io" : this.host;
    const schemes = this.insecure ? ["https", "http"] : ["https"];
    let failure: unknown;
    for (const [i, scheme] of schemes.entries()) {
      const url = new URL(`${scheme}://${host}/v2/`);
      // With another scheme left to try, that comes before patience.
      const http = i < schemes.length - 1 ? { ...this.http, retries: 0 } : this.http;
      try {
        const response = await exchangeWithRetries(http, () => ({ url, insecure: this.insecure, signal }));
        if (response.status !== 200 && response.status !== 401) throw await errorOf(response);
        this.#challenges = parseChallenges(response.headers.get("www-authenticate"));
        await discard(response);
        return url;
      } catch (error) {
        failure = error;
        if (!(error instanceof RegistryError) || signal?.aborted === true) throw error;
        // It answered: the other scheme would be another server.
        if (error.status !== 0) break;
      }
    }
    throw failure instanceof RegistryError ? failure.within(`pinging container registry ${host}`) : failure;
  }

  async #authorization(base: URL, scope?: string, signal?: AbortSignal): Promise<string | undefined> {
    const { username, password = "", registryToken } = this.credential;
    for (const challenge of this.#challenges) {
      if (challenge.scheme === "basic" && username !== undefined) return basic(username, password);
      if (challenge.scheme !== "bearer") continue;
      if (registryToken !== undefined) return `Bearer ${registryToken}`;
      return `Bearer ${await this.#token(base, challenge, scope, signal)}`;
    }
    return undefined;
  }

  async #token(base: URL, challenge: Challenge, extra?: string, signal?: AbortSignal): Promise<string> {
    const { realm, service, scope } = challenge.parameters;
    const key = JSON.stringify([realm, service, scope, extra]);
    for (let attempt = 0; attempt < 2; attempt++) {
      const known = this.#tokens.get(key);
      const pending = known ?? this.#fetchToken(base, challenge, extra, signal);
      if (known === undefined) this.#tokens.set(key, pending);
      const token = await pending.catch((error) => {
        if (this.#tokens.get(key) === pending) this.#tokens.delete(key);
        throw error;
      });
      // A fresh one is used whatever its term.
      if (known === undefined || token.expires - TOKEN_MARGIN > Date.now()) return token.value;
      if (this.#tokens.get(key) === pending) this.#tokens.delete(key);
    }
    throw new RegistryError("protocol", `registry ${this.host} gives tokens that have ended`);
  }

  async #fetchToken(
    base: URL,
    { parameters }: Challenge,
    extra: string | undefined,
    signal?: AbortSignal,
  ): Promise<Token> {
    const realm = parameters.realm;
    if (realm === undefined || !URL.canParse(realm)) {
      throw new RegistryError("protocol", "missing realm in bearer auth challenge");
    }
    const url = new URL(realm);
    if (!/^https?:$/.test(url.protocol) || (base.protocol === "https:" && url.protocol === "http:" && !this.insecure)) {
      throw new RegistryError("protocol", "the bearer auth challenge's realm is not reached over HTTPS");
    }
    const response = await exchangeWithRetries(this.http, () => this.#tokenRequest(url, parameters, extra, signal));
    if (response.status !== 200) {
      const error = await errorOf(response);
      const denied = error.status === 401 ? "invalid username/password" : "requesting bearer token";
      throw error.within(`unable to retrieve auth token: ${denied}`);
    }
    return readToken(await readBody(response, TOKEN_BODY_LIMIT, this.http.timeout));
  }

  /** Docker's token authentication: GET with Basic, or POST of an OAuth2 refresh token. */
  #tokenRequest(
    realm: URL,
    { service, scope }: Challenge["parameters"],
    extra: string | undefined,
    signal?: AbortSignal,
  ): Exchange {
    const { username, password = "", identityToken } = this.credential;
    const own = [this.scope, extra].filter((item) => item !== undefined && item !== "");
    const scopes = new Set([...own, ...(scope ?? "").split(" ").filter((item) => item !== "").slice(0, 16)]);
    const fields = new URLSearchParams(identityToken === undefined ? realm.search : "");
    if (service) fields.append("service", service);
    for (const item of scopes) if (item !== undefined) fields.append("scope", item);
    if (identityToken !== undefined) {
      fields.append("grant_type", "refresh_token");
      fields.append("refresh_token", identityToken);
      fields.append("client_id", "gantry");
      const headers = { "content-type": "application/x-www-form-urlencoded" };
      return { url: realm, method: "POST", headers, body: fields.toString(), insecure: this.insecure, signal };
    }
    if (username !== undefined) fields.append("account", username);
    const url = new URL(realm);
    url.search = fields.toString();
    const headers: Record<string, string> = {};
    if (username !== undefined) headers.authorization = basic(username, password);
    return { url, headers, insecure: this.insecure, signal };
  }
}

function readToken(body: Uint8Array): Token {
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

function basic(username: string, password: string): string {
  return `Basic ${toBase64(new TextEncoder().encode(`${username}:${password}`))}`;
}
