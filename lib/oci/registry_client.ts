/**
 * A client for registries that speak the OCI distribution-spec, over an injected fetch.
 *
 * @module
 */
import type { Descriptor } from "./descriptor.ts";
import type { Reference } from "./reference.ts";
import type { RegistriesConf } from "./registries_conf.ts";

/** TLS choices for one registry. */
export interface RegistryTLS {
  insecure?: boolean;
  ca?: string;
  cert?: string;
  key?: string;
}

/** The network as the client needs it; the engine's `Net` port is one. Redirects must be left alone. */
export interface RegistryNet {
  fetch(request: Request, tls?: RegistryTLS): Promise<Response>;
}

/** An incremental sha256; the engine's `Hash` port is one. */
export interface RegistryHash {
  update(bytes: Uint8Array): void;
  digest(): Promise<string>;
}

/** Who asks. `identityToken` is an OAuth2 refresh token, `registryToken` a ready bearer token. */
export interface Credential {
  username?: string;
  password?: string;
  identityToken?: string;
  registryToken?: string;
}

/** Options of {@linkcode RegistryClient}. */
export interface RegistryClientOptions {
  conf: RegistriesConf;
  hash: () => RegistryHash;
  /** The credential for a registry host (`docker.io`, `localhost:5000`) and repository. */
  credentials?: (registry: string, path: string) => Credential | undefined | Promise<Credential | undefined>;
  /** Certificates for a registry host. */
  tls?: (registry: string) => RegistryTLS | undefined;
  /** `false` makes every registry insecure, `true` none; as configured when absent. */
  tlsVerify?: boolean;
  userAgent?: string;
  /** How often a failed request is made again: 3. */
  retries?: number;
  /** The first pause before a retry, in milliseconds, doubled each time: 500. */
  retryDelay?: number;
  /** Waits; the engine's `Clock.sleep`. A timer when absent. */
  sleep?: (ms: number, signal?: AbortSignal) => Promise<void>;
}

/** A manifest as fetched, verified. */
export interface FetchedManifest {
  bytes: Uint8Array;
  /** The registry's `Content-Type`; `""` when it gave none. */
  mediaType: string;
  /** Computed from the bytes: `sha256:…`. */
  digest: string;
}

/** Options of {@linkcode RegistryClient.blob}. */
export interface BlobOptions {
  /** The first byte wanted: 0. */
  offset?: number;
  signal?: AbortSignal;
}

/** Options of the other requests. */
export interface RequestOptions {
  signal?: AbortSignal;
}

/** Talks to registries for one user. Keep one per pull: it remembers tokens, and which mirror had the image. */
export class RegistryClient {
  constructor(_net: RegistryNet, _options: RegistryClientOptions) {}

  /** The manifest or index of a normalised reference; the digest wins over the tag. Throws {@linkcode RegistryError}. */
  manifest(_reference: Reference, _options: RequestOptions = {}): Promise<FetchedManifest> {
    throw new Error("Not written yet");
  }

  /**
   * A blob from `offset` on, resumed when the connection breaks. The size is verified; the digest is the caller's to
   * verify, since only who stores the bytes sees them all. The stream fails with {@linkcode RegistryError}.
   */
  blob(
    _reference: Reference,
    _descriptor: Descriptor,
    _options: BlobOptions = {},
  ): Promise<ReadableStream<Uint8Array>> {
    throw new Error("Not written yet");
  }

  /** A whole small blob, size and digest verified. */
  blobBytes(
    _reference: Reference,
    _descriptor: Descriptor,
    _options: RequestOptions & { limit?: number } = {},
  ): Promise<
    Uint8Array
  > {
    throw new Error("Not written yet");
  }

  /** All tags of the repository. */
  tags(_reference: Reference, _options: RequestOptions = {}): Promise<string[]> {
    throw new Error("Not written yet");
  }
}
