/**
 * A client for registries that speak the OCI distribution-spec, over an injected fetch. Reads only; `RegistryWriter` writes.
 *
 * @module
 */
import { blobStream } from "./blob_stream.ts";
import type { Descriptor } from "../descriptor.ts";
import { isDigest, parseDigest } from "../digest.ts";
import { parseObject } from "../json.ts";
import { MANIFEST_LIMITS } from "../manifest.ts";
import { bareMediaType, MANIFEST_ACCEPT } from "../media_type.ts";
import { formatReference, isTag, type Reference, repositoryName } from "../reference.ts";
import { type Endpoint, listEndpoints } from "./registries_conf.ts";
import { RegistryError } from "./registry_error.ts";
import { type HTTPOptions, refuseErrors, type RegistryNet } from "./registry_http.ts";
import type { RegistrySession } from "./registry_session.ts";
import { type RegistryClientOptions, RegistrySessions } from "./registry_sessions.ts";

/** A manifest as fetched, verified. */
export interface FetchedManifest {
  bytes: Uint8Array;
  /** The registry's `Content-Type`; `""` when it gave none. */
  mediaType: string;
  /** Computed from the bytes: `sha256:…`. */
  digest: string;
}

/** Options of every request. */
export interface RequestOptions {
  signal?: AbortSignal;
}

/** Options of {@linkcode RegistryClient.blob}. */
export interface BlobOptions extends RequestOptions {
  /** The first byte wanted: 0. */
  offset?: number;
  /** Told how many bytes of the blob have come, with each piece. */
  onBytes?: (received: number) => void;
}

const TAG_PAGE_LIMIT = 200;
const TAG_LIMIT = 100_000;
const TAG_BODY_LIMIT = 4 * 1024 * 1024;

/** Talks to registries for one user. Keep one per pull: it remembers tokens, and which mirror had the image. */
export class RegistryClient {
  #options: RegistryClientOptions;
  #http: HTTPOptions;
  #sessions: RegistrySessions;
  /** By repository: the endpoint that had its manifest. */
  #chosen = new Map<string, string>();

  constructor(net: RegistryNet, options: RegistryClientOptions) {
    this.#options = options;
    this.#sessions = new RegistrySessions(net, options);
    this.#http = this.#sessions.http;
  }

  /**
   * The manifest or index of a normalised reference; the digest wins over the tag. Its digest is verified against the
   * reference's and the registry's `Docker-Content-Digest`.
   */
  async manifest(reference: Reference, options: RequestOptions = {}): Promise<FetchedManifest> {
    const wanted = reference.digest ?? reference.tag ?? "latest";
    if (reference.digest !== undefined) mustBeSHA256(reference.digest);
    return await this.#firstOf(reference, async (endpoint) => {
      const session = await this.#session(endpoint);
      const { path } = endpoint.reference;
      const headers = { accept: MANIFEST_ACCEPT.join(", ") };
      const request = { path: `/v2/${path}/manifests/${wanted}`, headers, signal: options.signal };
      const context = `reading manifest ${wanted} in ${repositoryName(endpoint.reference)}`;
      const answer = await session.read(request, context, MANIFEST_LIMITS.bytes);
      const digest = await this.#digest(answer.bytes);
      checkManifestDigest(digest, reference.digest, answer.headers, context);
      return { bytes: answer.bytes, mediaType: bareMediaType(answer.headers.get("content-type")), digest };
    });
  }

  /**
   * A blob from `offset` on, resumed when the connection breaks. The size is verified; the digest is the caller's to
   * verify, since only who stores the bytes sees them all. The stream fails with {@linkcode RegistryError}.
   */
  async blob(
    reference: Reference,
    descriptor: Pick<Descriptor, "digest" | "size">,
    options: BlobOptions = {},
  ): Promise<ReadableStream<Uint8Array>> {
    const { digest, size } = descriptor;
    const { offset = 0, signal } = options;
    mustBeSHA256(digest);
    if (offset > size) throw new RangeError(`Fetch blob: offset ${offset} is past its end at ${size}`);
    if (offset === size && size > 0) return new ReadableStream({ start: (controller) => controller.close() });
    return await this.#firstOf(reference, async (endpoint) => {
      const session = await this.#session(endpoint);
      const open = async (from: number) => {
        const headers: Record<string, string> = from === 0 ? {} : { range: `bytes=${from}-` };
        const answer = await session.send({ path: `/v2/${endpoint.reference.path}/blobs/${digest}`, headers, signal });
        return await refuseErrors(answer, `fetching blob ${digest}`, from === 0 ? [200] : [200, 206, 416]);
      };
      const first = await open(offset);
      return blobStream(this.#http, { open, first, offset, size, digest, signal, onBytes: options.onBytes });
    });
  }

  /** A whole small blob, size and digest verified; `limit` is 8 MiB. */
  async blobBytes(
    reference: Reference,
    descriptor: Pick<Descriptor, "digest" | "size">,
    options: RequestOptions & { limit?: number } = {},
  ): Promise<Uint8Array> {
    const { limit = 8 * 1024 * 1024, signal } = options;
    const { digest, size } = descriptor;
    const context = `fetching blob ${digest}`;
    if (size > limit) throw new RegistryError("limit", `${context}: larger than ${limit} bytes`);
    const stream = await this.blob(reference, descriptor, { signal });
    // The stream ends or fails at the size, which is within the limit.
    const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
    const actual = await this.#digest(bytes);
    if (actual !== digest) throw new RegistryError("corrupt", `${context}: its content has the digest ${actual}`);
    return bytes;
  }

  /** All tags of the repository, as the registry orders them. Asked of the registry itself, not of mirrors. */
  async tags(reference: Reference, options: RequestOptions = {}): Promise<string[]> {
    const endpoint = this.#endpoints(reference).slice(-1)[0];
    const session = await this.#session(endpoint);
    const base = `/v2/${endpoint.reference.path}/tags/list`;
    const tags = new Set<string>();
    let path: string | undefined = `${base}?n=1000`;
    for (let page = 0; path !== undefined; page++) {
      if (page >= TAG_PAGE_LIMIT || tags.size > TAG_LIMIT) {
        throw new RegistryError("limit", "fetching tags list: too many");
      }
      const request = { path, headers: { accept: "application/json" }, signal: options.signal };
      const { bytes, headers } = await session.read(request, "fetching tags list", TAG_BODY_LIMIT);
      for (const tag of readTags(bytes)) tags.add(tag);
      path = nextPage(headers, base);
    }
    return [...tags];
  }

  /** The first endpoint's answer; the one that had the manifest goes first for its blobs. */
  async #firstOf<T>(reference: Reference, ask: (endpoint: Endpoint) => Promise<T>): Promise<T> {
    const chosen = this.#chosen.get(repositoryName(reference));
    const all = this.#endpoints(reference);
    const ordered = [
      ...all.filter(({ location }) => location === chosen),
      ...all.filter(({ location }) => location !== chosen),
    ];
    const failures: { endpoint: Endpoint; error: RegistryError }[] = [];
    for (const endpoint of ordered) {
      try {
        const result = await ask(endpoint);
        this.#chosen.set(repositoryName(reference), endpoint.location);
        return result;
      } catch (error) {
        if (!(error instanceof RegistryError)) throw error;
        failures.push({ endpoint, error });
      }
    }
    throw summariseFailures(failures);
  }

  #endpoints(reference: Reference): Endpoint[] {
    return listEndpoints(this.#options.conf, reference);
  }

  #session(endpoint: Endpoint): Promise<RegistrySession> {
    return this.#sessions.open(endpoint, "pull");
  }

  async #digest(bytes: Uint8Array): Promise<string> {
    const hash = this.#options.hash();
    hash.update(bytes);
    return await hash.digest();
  }
}

function mustBeSHA256(digest: string): void {
  if (parseDigest(digest).algorithm === "sha256") return;
  throw new RegistryError("protocol", `digest ${digest}: only sha256 is supported`);
}

function checkManifestDigest(actual: string, wanted: string | undefined, headers: Headers, context: string): void {
  const stated = headers.get("docker-content-digest") ?? "";
  for (const digest of [wanted, isDigest(stated) && stated.startsWith("sha256:") ? stated : undefined]) {
    if (digest === undefined || digest === actual) continue;
    throw new RegistryError("corrupt", `${context}: manifest does not match provided manifest digest ${digest}`);
  }
}

/** One error for all endpoints: the last one's (the registry's own), with the mirrors' in its text. */
function summariseFailures(failures: readonly { endpoint: Endpoint; error: RegistryError }[]): RegistryError {
  const own = failures.find(({ endpoint }) => !endpoint.mirror) ?? failures[failures.length - 1];
  const others = failures.filter((failure) => failure !== own);
  if (others.length === 0) return own.error;
  const texts = others.map(({ endpoint, error }) => `[${formatReference(endpoint.reference)}: ${error.message}]`);
  return own.error.within(`(Mirrors also failed: ${texts.join("\n")}): ${formatReference(own.endpoint.reference)}`);
}

function readTags(body: Uint8Array): string[] {
  let document;
  try {
    document = parseObject(body, "fetching tags list", { bytes: TAG_BODY_LIMIT, depth: 8 });
  } catch (cause) {
    throw new RegistryError("protocol", "fetching tags list: the answer is not JSON", { cause });
  }
  const { tags } = document;
  return Array.isArray(tags) ? tags.filter((tag) => typeof tag === "string" && isTag(tag)) : [];
}

/** The path of `Link: <…>; rel="next"`, if it stays with this list. */
/** Returns the path of a list's next page, by the `Link` header; only ever of the same list. */
export function nextPage(headers: Headers, base: string): string | undefined {
  const link = /<([^>]{1,4096})>\s*;[^,]*rel="?next"?/i.exec(headers.get("link") ?? "")?.[1];
  if (link === undefined || !URL.canParse(link, "http://registry")) return undefined;
  const { pathname, search } = new URL(link, `http://registry${base}`);
  return pathname === base ? base + search : undefined;
}
