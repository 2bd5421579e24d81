/**
 * The state of one registry while a client lives: how it is reached, and the client's identity there.
 *
 * @module
 */
import { discardBody, readBody } from "./body.ts";
import { type Challenge, parseChallenges } from "./challenge.ts";
import { DOCKER_HUB } from "../reference.ts";
import { errorOf, RegistryError } from "./registry_error.ts";
import {
  type Answer,
  type Exchange,
  type ExchangeBody,
  exchangeWithRetries,
  type HTTPOptions,
  pauseBefore,
  refuseErrors,
} from "./registry_http.ts";
import { messageOf } from "../message_of.ts";
import { basicCredentials, readToken, type Token, tokenRequest } from "./registry_token.ts";
import { isEmpty, isPrivate, isTrustedRealm, type Laxness, readTarget, type Trust } from "./registry_trust.ts";

/** A client's credential at a registry. `identityToken` is an OAuth2 refresh token, `registryToken` a ready bearer token. */
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

const TOKEN_BODY_LIMIT = 1024 * 1024;
/** Tokens about to end are not used. */
const TOKEN_MARGIN = 5_000;

/** Where Docker Hub, as references call it, is. */
export const DOCKER_HUB_HOST = "registry-1.docker.io";

/** The options of a session. */
export interface SessionOptions extends Omit<Trust, "base"> {
  http: HTTPOptions;
  /** As references have it. */
  host: string;
  /** The scope of the session's tokens. */
  scope: string;
  credential: Credential;
}

/** One registry host, for one repository's reader or writer. */
export class RegistrySession {
  /** As references have it. */
  readonly host: string;
  readonly #http: HTTPOptions;
  readonly #insecure: Laxness;
  readonly #isListed: Trust["isListed"];
  readonly #scope: string;
  readonly #credential: Credential;
  #base: Promise<URL> | undefined;
  #challenges: Challenge[] = [];
  /** Whether the registry itself made the challenges, and not a host to which it led. */
  #isChallenger = true;
  #tokens = new Map<string, Promise<Token>>();

  constructor({ http, host, insecure, isListed, scope, credential }: SessionOptions) {
    this.#http = http;
    this.host = host;
    this.#insecure = insecure;
    this.#isListed = isListed;
    this.#scope = scope;
    this.#credential = credential;
  }

  /** The credential, for whoever asks for one now. */
  get #shown(): Credential {
    return this.#isChallenger ? this.#credential : {};
  }

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
        return { bytes: await readBody(response, limit, this.#http.timeout), headers: response.headers };
      } catch (cause) {
        request.signal?.throwIfAborted();
        const why = messageOf(cause);
        if (cause instanceof RangeError) throw new RegistryError("limit", `${context}: ${why}`, { cause });
        if (attempt >= this.#http.retries) throw new RegistryError("unreachable", `${context}: ${why}`, { cause });
      }
      await this.#http.sleep(pauseBefore(this.#http, attempt), request.signal);
    }
  }

  /** Sends a request with whatever authentication the registry asked for; the answer may be any status. */
  async send(request: SessionRequest): Promise<Response> {
    const base = await this.#reach(request.signal);
    // A rejected token is replaced once; a second 401 stands.
    const answer = await this.#send(base, request);
    if (answer.response.status !== 401 || !this.#renew(base, answer)) return answer.response;
    await discardBody(answer.response);
    return (await this.#send(base, request)).response;
  }

  /** Resolves a `Location`: relative to the registry's root, and never from HTTPS to plain HTTP. */
  async locate(location: string | null, signal?: AbortSignal): Promise<URL> {
    const base = await this.#reach(signal);
    if (location === null) throw new RegistryError("protocol", `registry ${this.host} gave no address for the upload`);
    const url = readTarget(location, base, this.#insecure);
    if (url instanceof URL) return url;
    // A proxy that ends TLS may not tell the registry behind it: the same host is meant.
    const plain = url === "plain HTTP" ? new URL(location, base) : undefined;
    if (plain?.hostname === base.hostname) return new URL(plain.pathname + plain.search, base);
    throw new RegistryError("protocol", `registry ${this.host} sends uploads to ${url}`);
  }

  #send(base: URL, { path, method, headers, body, scope, retries, signal }: SessionRequest): Promise<Answer> {
    const http = retries === undefined ? this.#http : { ...this.#http, retries };
    return exchangeWithRetries(http, async (): Promise<Exchange> => {
      const url = new URL(path, base);
      // An upload may lead to a host that has no business with our credential.
      const authorization = url.origin === base.origin ? await this.#authorization(base, scope, signal) : undefined;
      return {
        url,
        method,
        headers: { ...headers, ...(authorization === undefined ? {} : { authorization }) },
        ...(body === undefined ? {} : { body: await body() }),
        insecure: this.#insecure,
        signal,
      };
    });
  }

  /** Whether asking again with a new token may help, which is then arranged for. */
  #renew(base: URL, { response, url }: Answer): boolean {
    // A host to which the registry led gets no credential, whatever it asks for.
    if (url.origin !== base.origin) return false;
    const offered = parseChallenges(response.headers.get("www-authenticate"));
    if (!this.#isChallenger) {
      this.#isChallenger = true;
      this.#tokens.clear();
      this.#challenges = offered;
      return offered.length > 0;
    }
    if (this.#credential.registryToken !== undefined) return false;
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
    const host = this.host === DOCKER_HUB ? DOCKER_HUB_HOST : this.host;
    const schemes = this.#insecure ? ["https", "http"] : ["https"];
    let failure: unknown;
    for (const [i, scheme] of schemes.entries()) {
      const url = new URL(`${scheme}://${host}/v2/`);
      // With another scheme left to try, that comes before patience.
      const http = i < schemes.length - 1 ? { ...this.#http, retries: 0 } : this.#http;
      try {
        const answer = await exchangeWithRetries(http, () => ({ url, insecure: this.#insecure, signal }));
        const { response } = answer;
        if (response.status !== 200 && response.status !== 401) throw await errorOf(response);
        this.#challenges = parseChallenges(response.headers.get("www-authenticate"));
        this.#isChallenger = answer.url.origin === url.origin;
        await discardBody(response);
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
    const { username, password = "", registryToken } = this.#shown;
    for (const challenge of this.#challenges) {
      if (challenge.scheme !== "basic" && challenge.scheme !== "bearer") continue;
      if (!isEmpty(this.#shown) && !isPrivate(base, this.#isListed)) {
        const text =
          `registry ${this.host} is reached over plain HTTP: a credential goes there only where registries.conf says`;
        throw new RegistryError("protocol", `${text} "insecure = true" of it`);
      }
      if (challenge.scheme === "basic" && username !== undefined) return basicCredentials(username, password);
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
    const url = readTarget(realm, base, this.#insecure);
    if (!(url instanceof URL)) throw new RegistryError("protocol", `the bearer auth challenge's realm is ${url}`);
    const trust = { base, insecure: this.#insecure, isListed: this.#isListed };
    if (!isEmpty(this.#shown) && !isTrustedRealm(url, trust)) {
      const text = `registry ${this.host} wants its credential sent to ${url.origin}`;
      throw new RegistryError("protocol", `${text}, which nothing vouches for`);
    }
    // Of another host nobody has said that its certificate is no matter, unless registries.conf does.
    const isSame = isEmpty(this.#shown) || url.hostname === base.hostname;
    const insecure = this.#insecure !== false && this.#isListed(url.host) ? true : isSame && this.#insecure;
    const { response } = await exchangeWithRetries(
      this.#http,
      () => ({
        ...tokenRequest({ realm: url, challenge: parameters, scopes: [this.#scope, extra], credential: this.#shown }),
        insecure,
        signal,
      }),
    );
    if (response.status !== 200) {
      const error = await errorOf(response);
      const denied = error.status === 401 ? "invalid username/password" : "requesting bearer token";
      throw error.within(`unable to retrieve auth token: ${denied}`);
    }
    return readToken(await readBody(response, TOKEN_BODY_LIMIT, this.#http.timeout));
  }
}
