/**
 * Queries of registries that take nothing from them.
 *
 * @module
 */
import type { Descriptor } from "../../oci/descriptor.ts";
import { parseImageConfig } from "../../oci/image_config.ts";
import { checkLogin } from "../../oci/registry/login_check.ts";
import { parseManifest } from "../../oci/manifest.ts";
import { isImageConfigType } from "../../oci/media_type.ts";
import { type Platform, platformOf } from "../../oci/platform.ts";
import type { Reference } from "../../oci/reference.ts";
import { RegistryClient } from "../../oci/registry/registry_client.ts";
import type { Credential } from "../../oci/registry/registry_sessions.ts";
import type { Core } from "../core.ts";
import { pullFailure } from "./failures.ts";
import { tryInOrder } from "./pull/try_in_order.ts";
import { candidatesOf } from "./pull/pull.ts";
import { registryOptions } from "./registry_options.ts";
import { registryReference } from "./transport.ts";
import type { RegistryAccess } from "./types.ts";

/** A manifest or index in a registry, and the platforms it is for. */
export interface RemoteImage {
  descriptor: Descriptor;
  platforms: Platform[];
}

type QueryCore = Pick<Core, "ports" | "options">;

/** Whether a registry takes a credential. Throws `EngineError("registry")`, with status 401 where it does not. */
export async function loginToRegistry(
  core: QueryCore,
  host: string,
  credential: Credential,
  { signal, ...access }: RegistryAccess & { signal?: AbortSignal } = {},
): Promise<void> {
  const options = registryOptions(core, { ...access, credentials: () => credential }, [host]);
  try {
    await checkLogin(core.ports.net, host, options, signal);
  } catch (error) {
    throw pullFailure(error);
  }
}

/**
 * Inspects the image of a name in its registry; a short name's is in the first of the registries it may mean that has it. Throws
 * `EngineError`: `invalid`, `registry`, `corrupt`.
 */
export async function inspectRemote(
  core: QueryCore,
  name: string,
  { signal, ...access }: RegistryAccess & { signal: AbortSignal },
): Promise<RemoteImage> {
  const references = candidatesOf(core, registryReference(name));
  const asked = references.map(({ domain }) => domain);
  const client = new RegistryClient(core.ports.net, registryOptions(core, access, asked));
  return await tryInOrder(references, { signal, what: "asking registries" }, (one) => inspectOne(client, one, signal));
}

async function inspectOne(client: RegistryClient, reference: Reference, signal: AbortSignal): Promise<RemoteImage> {
  const { bytes, digest, mediaType } = await client.manifest(reference, { signal });
  const manifest = parseManifest(bytes, mediaType);
  const descriptor = { mediaType: manifest.mediaType, digest, size: bytes.length };
  if (manifest.kind === "index") {
    return {
      descriptor,
      platforms: manifest.manifests.flatMap(({ platform }) => platform === undefined ? [] : [platform]),
    };
  }
  if (!isImageConfigType(manifest.config.mediaType)) return { descriptor, platforms: [] };
  const config = parseImageConfig(await client.blobBytes(reference, manifest.config, { signal }));
  return { descriptor, platforms: [platformOf(config)] };
}
