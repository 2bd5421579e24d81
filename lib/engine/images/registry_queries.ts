/**
 * What is asked of registries without taking anything from them.
 *
 * @module
 */
import type { Descriptor } from "../../oci/descriptor.ts";
import { parseImageConfig } from "../../oci/image_config.ts";
import { checkLogin } from "../../oci/login_check.ts";
import { parseManifest } from "../../oci/manifest.ts";
import { isImageConfigType } from "../../oci/media_type.ts";
import { type Platform, platformOf } from "../../oci/platform.ts";
import { normalise, withDefaultTag } from "../../oci/reference.ts";
import { RegistryClient } from "../../oci/registry_client.ts";
import type { Credential } from "../../oci/registry_sessions.ts";
import type { Core } from "../core.ts";
import { EngineError } from "../errors.ts";
import { pullFailure } from "./failures.ts";
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
export async function login(
  core: QueryCore,
  host: string,
  credential: Credential,
  { signal, ...access }: RegistryAccess & { signal?: AbortSignal } = {},
): Promise<void> {
  const options = registryOptions(core, { ...access, credentials: () => credential });
  try {
    await checkLogin(core.ports.net, host, options, signal);
  } catch (error) {
    throw pullFailure(error);
  }
}

/** What a name stands for in its registry. Throws `EngineError`: `invalid`, `registry`, `corrupt`. */
export async function inspectRemote(
  core: QueryCore,
  name: string,
  { signal, ...access }: RegistryAccess & { signal?: AbortSignal } = {},
): Promise<RemoteImage> {
  const client = new RegistryClient(core.ports.net, registryOptions(core, access));
  try {
    const reference = withDefaultTag(normalise(registryReference(name)));
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
  } catch (error) {
    // A name that does not parse is the caller's; content that does not is the registry's.
    if (error instanceof SyntaxError && error.message.startsWith("Parse reference")) {
      throw new EngineError("invalid", error.message, { cause: error });
    }
    throw pullFailure(error);
  }
}
