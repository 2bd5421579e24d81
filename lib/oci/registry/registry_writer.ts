/**
 * Writes to registries that speak the OCI distribution-spec, over an injected fetch.
 *
 * @module
 */
import { discardBody } from "./body.ts";
import type { Descriptor } from "../descriptor.ts";
import { isDigest } from "../digest.ts";
import { type Reference, repositoryName } from "../reference.ts";
import { isListedInsecure, listEndpoints } from "./registries_conf.ts";
import { RegistryError } from "./registry_error.ts";
import { refuseErrors } from "./registry_http.ts";
import type { RegistrySession } from "./registry_session.ts";
import { type RegistryClientOptions, type RegistryNet, RegistrySessions } from "./registry_sessions.ts";
import { hasBlob, uploadBlob } from "./registry_upload.ts";

/** A blob to upload, and the options of its upload. */
export interface BlobToWrite extends Pick<Descriptor, "digest" | "size"> {
  /** The content from a byte on; asked for again after a cut. */
  open: (offset: number) => Promise<ReadableStream<Uint8Array>>;
  /** Repositories of the same registry that may have the blob. */
  mountFrom?: readonly string[];
  /** Called for one of them that did not. */
  onMissing?: (repository: string) => void;
  /** The address of an upload that was begun already: no copy of the blob is looked for. */
  location?: URL;
  /** Called once it is known that bytes must be sent. */
  onUpload?: () => void;
  signal?: AbortSignal;
}

/** The outcome of a blob's upload: it was there, was mounted from another repository, or was sent. */
export type WriteOutcome = "exists" | "mounted" | "sent";

/** A manifest as the registry has it now. */
export interface WrittenManifest {
  /** Computed from the bytes: `sha256:…`. */
  digest: string;
}

/** More would be a list of guesses. */
const MOUNT_LIMIT = 4;

/** Writes for one user. Keep one per push: it remembers tokens. Pushes go to the registry named, never to mirrors. */
export class RegistryWriter {
  readonly #options: RegistryClientOptions;
  readonly #sessions: RegistrySessions;

  constructor(net: RegistryNet, options: RegistryClientOptions) {
    this.#options = options;
    this.#sessions = new RegistrySessions(net, options);
  }

  /** Sees to it that the repository has the blob, sending as little as possible. */
  async blob(reference: Reference, blob: BlobToWrite): Promise<WriteOutcome> {
    const { path } = reference;
    const reused = blob.location ?? await this.reuse(reference, blob);
    if (reused === "exists" || reused === "mounted") return reused;
    const session = await this.#session(reference);
    blob.onUpload?.();
    try {
      await uploadBlob(this.#sessions.http, session, { ...blob, path, location: reused });
    } catch (error) {
      throw error instanceof RegistryError ? error.within("writing blob") : error;
    }
    return "sent";
  }

  /**
   * Whether the repository has the blob, or could take it over from another: nothing is sent. Otherwise it may tell where an upload was
   * begun in place of a mount, which serves for any blob.
   */
  async reuse(
    reference: Reference,
    blob: Omit<BlobToWrite, "open" | "onUpload">,
  ): Promise<"exists" | "mounted" | URL | undefined> {
    const { path } = reference;
    const { digest, signal, mountFrom = [], onMissing } = blob;
    const session = await this.#session(reference);
    if (await this.#has(session, path, blob)) return "exists";
    for (const from of mountFrom.filter((other) => other !== path).slice(0, MOUNT_LIMIT)) {
      const mount = await tryMount(session, { path, digest, from, signal });
      if (mount === "mounted") return "mounted";
      if (mount === undefined) continue;
      onMissing?.(from);
      return mount;
    }
    return undefined;
  }

  /** Stores a manifest under the reference's tag, or else its digest. Throws `corrupt` when the registry took it for another. */
  async manifest(
    reference: Reference,
    { bytes, mediaType }: { bytes: Uint8Array; mediaType: string },
    { signal }: { signal?: AbortSignal } = {},
  ): Promise<WrittenManifest> {
    const digest = await this.#digest(bytes);
    const target = reference.tag ?? reference.digest ?? digest;
    const session = await this.#session(reference);
    const context = `uploading manifest ${target} to ${repositoryName(reference)}`;
    const body = () => new Uint8Array(bytes);
    const headers = { "content-type": mediaType };
    const path = `/v2/${reference.path}/manifests/${target}`;
    const response = await session.send({ path, method: "PUT", headers, body, signal });
    await refuseErrors(response, context, [200, 201, 202]);
    await discardBody(response);
    const stated = response.headers.get("docker-content-digest") ?? "";
    if (isDigest(stated) && stated.startsWith("sha256:") && stated !== digest) {
      throw new RegistryError("corrupt", `${context}: the registry has it as ${stated}, not ${digest}`);
    }
    return { digest };
  }

  async #has(
    session: RegistrySession,
    path: string,
    { digest, signal }: Pick<BlobToWrite, "digest" | "signal">,
  ): Promise<boolean> {
    try {
      return await hasBlob(session, { path, digest, signal });
    } catch (error) {
      // A client that may write is not always allowed to read.
      if (error instanceof RegistryError && error.status === 403) return false;
      throw error instanceof RegistryError ? error.within(`trying to reuse blob ${digest} at destination`) : error;
    }
  }

  #session(reference: Reference): Promise<RegistrySession> {
    const { conf } = this.#options;
    // Tells of a blocked registry.
    listEndpoints(conf, reference);
    return this.#sessions.open({ reference, insecure: isListedInsecure(conf, reference), own: true }, "pull,push");
  }

  async #digest(bytes: Uint8Array): Promise<string> {
    const hash = this.#options.hash();
    hash.update(bytes);
    return await hash.digest();
  }
}

/** A mount of a blob from another repository: made, begun as an upload, or refused, which is no failure. */
async function tryMount(
  session: RegistrySession,
  { path, digest, from, signal }: { path: string; digest: string; from: string; signal?: AbortSignal },
): Promise<"mounted" | URL | undefined> {
  const query = new URLSearchParams({ mount: digest, from });
  try {
    const response = await session.send({
      path: `/v2/${path}/blobs/uploads/?${query}`,
      method: "POST",
      body: () => new Uint8Array(0),
      scope: `repository:${from}:pull`,
      signal,
    });
    await discardBody(response);
    if (response.status === 201) return "mounted";
    return response.status === 202 ? await session.locate(response.headers.get("location"), signal) : undefined;
  } catch (error) {
    if (error instanceof RegistryError) return undefined;
    throw error;
  }
}
