/**
 * The sessions with registries that one pull or push keeps.
 *
 * @module
 */
import { DOCKER_HUB, type Reference, repositoryName } from "../reference.ts";
import { isListedInsecure, type RegistriesConf } from "./registries_conf.ts";
import type { HTTPOptions, RegistryNet, RegistryTLS } from "./registry_http.ts";
import { isLoopbackRegistry, type Laxness } from "./registry_trust.ts";
import { sleep } from "../sleep.ts";
import { type Credential, DOCKER_HUB_HOST, RegistrySession } from "./registry_session.ts";

export type { Credential, RegistryNet, RegistryTLS };

/** An incremental sha256; the engine's `Hash` port is one. */
export interface RegistryHash {
  update(bytes: Uint8Array): void;
  /** `sha256:<hex>`. */
  digest(): Promise<string>;
}

/** Options of `RegistryClient` and `RegistryWriter`. */
export interface RegistryClientOptions {
  conf: RegistriesConf;
  hash: () => RegistryHash;
  /**
   * Gives the credential for a registry host (`docker.io`, `localhost:5000`) and repository, by that name. It is asked for mirrors and
   * others that stand in for the registry of a reference too, by theirs, and then with `isOwn` false.
   */
  credentials?: (
    registry: string,
    path: string,
    isOwn: boolean,
  ) => Credential | undefined | Promise<Credential | undefined>;
  /** Certificates for a registry host. */
  tls?: (registry: string) => RegistryTLS | undefined | Promise<RegistryTLS | undefined>;
  /** `false` makes every registry insecure, `true` none; as configured when absent. */
  tlsVerify?: boolean;
  /**
   * Without `tlsVerify`: registries on loopback addresses and `localhost` are insecure, whatever the configuration says of them. Another host
   * to which such a registry leads is checked as any.
   */
  trustLoopback?: boolean;
  userAgent?: string;
  /** How often a failed request is made again: 3. */
  retries?: number;
  /** The first pause before a retry, in milliseconds, doubled each time: 500. */
  retryDelay?: number;
  /** Milliseconds without a sign of life after which an exchange counts as broken: 60,000. */
  timeout?: number;
  /** Waits; the engine's `Clock.sleep`. A timer when absent. */
  sleep?: (ms: number, signal?: AbortSignal) => Promise<void>;
}

/** A repository at a place. */
export interface SessionPlace {
  reference: Reference;
  /** Whether the configuration calls the place insecure. */
  insecure: boolean;
  /** As of an `Endpoint`. */
  own: boolean;
}

/** An action on a repository, as tokens name it. */
export type RegistryAction = "pull" | "pull,push";

/** Opens sessions, one for each repository and action, and remembers them. */
export class RegistrySessions {
  readonly http: HTTPOptions;
  readonly #options: RegistryClientOptions;
  readonly #open = new Map<string, Promise<RegistrySession>>();
  readonly #tls = new Map<string, Promise<RegistryTLS | undefined>>();

  constructor(net: RegistryNet, options: RegistryClientOptions) {
    this.#options = options;
    this.http = {
      net,
      userAgent: options.userAgent ?? "gantry",
      retries: options.retries ?? 3,
      retryDelay: options.retryDelay ?? 500,
      timeout: options.timeout ?? 60_000,
      sleep: options.sleep ?? sleep,
      tls: (host) => this.#tlsOf(host),
    };
  }

  /** The session for a repository. The caller's `tlsVerify` goes before what the configuration says of it. */
  open({ reference, insecure: listed, own }: SessionPlace, action: RegistryAction): Promise<RegistrySession> {
    const { domain, path } = reference;
    const { conf, tlsVerify, trustLoopback, credentials } = this.#options;
    const isTrusted = trustLoopback === true && isLoopbackRegistry(domain);
    const usual: Laxness = listed || (isTrusted && "loopback");
    const insecure = tlsVerify === undefined ? usual : !tlsVerify;
    const key = `${insecure} ${listed} ${own} ${action} ${repositoryName(reference)}`;
    const known = this.#open.get(key);
    if (known !== undefined) return known;
    const session = (async () => {
      const credential = await credentials?.(domain, path, own) ?? {};
      // A registry as a whole has no repository's scope.
      const scope = path === "" ? "" : `repository:${path}:${action}`;
      const http = { ...this.http, tls: (host: string) => this.#tlsWithin(domain, host) };
      const isListed = (host: string) => host === domain ? listed : isListedInsecure(conf, { domain: host, path: "" });
      return new RegistrySession({ http, host: domain, insecure, isListed, scope, credential });
    })();
    this.#open.set(key, session);
    // A failed attempt is forgotten: the next call tries again.
    session.catch(() => this.#open.delete(key));
    return session;
  }

  /**
   * Token servers and stores often share their registry's authority. Its client certificate stays with it, and no registry leads to
   * another host with the certificate that is shown there: that would be a request in our name.
   */
  async #tlsWithin(registry: string, host: string): Promise<RegistryTLS | undefined> {
    const own = await this.#tlsOf(host);
    if (host === registry || (registry === DOCKER_HUB && host === DOCKER_HUB_HOST)) return own;
    const { ca } = own ?? await this.#tlsOf(registry) ?? {};
    return ca === undefined ? undefined : { ca };
  }

  /** Certificates are looked up once for each host. */
  #tlsOf(host: string): Promise<RegistryTLS | undefined> {
    const known = this.#tls.get(host);
    if (known !== undefined) return known;
    const found = (async () => await this.#options.tls?.(host))();
    this.#tls.set(host, found);
    return found;
  }
}
