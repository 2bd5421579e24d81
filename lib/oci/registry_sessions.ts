/**
 * The sessions with registries that one pull or push keeps.
 *
 * @module
 */
import { name, type Reference } from "./reference.ts";
import type { RegistriesConf } from "./registries_conf.ts";
import type { HTTPOptions, RegistryNet, RegistryTLS } from "./registry_http.ts";
import { type Credential, RegistrySession } from "./registry_session.ts";
import { sleep } from "./sleep.ts";

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
   * The credential for a registry host (`docker.io`, `localhost:5000`) and repository. Asked for mirrors too: give them
   * only what is meant for them.
   */
  credentials?: (registry: string, path: string) => Credential | undefined | Promise<Credential | undefined>;
  /** Certificates for a registry host. */
  tls?: (registry: string) => RegistryTLS | undefined | Promise<RegistryTLS | undefined>;
  /** `false` makes every registry insecure, `true` none; as configured when absent. */
  tlsVerify?: boolean;
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

/** What is done to a repository, as tokens have it. */
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

  /** The session for a repository. `insecure` is what the configuration says; the caller's `tlsVerify` goes before it. */
  open(reference: Reference, insecure: boolean, action: RegistryAction): Promise<RegistrySession> {
    const { domain, path } = reference;
    const { tlsVerify, credentials } = this.#options;
    const isInsecure = tlsVerify === undefined ? insecure : !tlsVerify;
    const key = `${isInsecure} ${action} ${name(reference)}`;
    const known = this.#open.get(key);
    if (known !== undefined) return known;
    const session = (async () => {
      const credential = await credentials?.(domain, path);
      // A registry as a whole has no repository's scope.
      const scope = path === "" ? "" : `repository:${path}:${action}`;
      const http = { ...this.http, tls: (host: string) => this.#tlsWithin(domain, host) };
      return new RegistrySession(http, domain, isInsecure, scope, credential ?? {});
    })();
    this.#open.set(key, session);
    // What could not be found out may be asked again.
    session.catch(() => this.#open.delete(key));
    return session;
  }

  /** Token servers and stores often share their registry's authority; its client certificate stays with it. */
  async #tlsWithin(registry: string, host: string): Promise<RegistryTLS | undefined> {
    const own = await this.#tlsOf(host);
    if (own !== undefined || host === registry) return own;
    const { ca } = await this.#tlsOf(registry) ?? {};
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
