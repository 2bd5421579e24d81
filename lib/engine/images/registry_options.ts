import { credentialKey } from "../../oci/registry/auth_file.ts";
import type { RegistryClientOptions } from "../../oci/registry/registry_sessions.ts";
import type { Core } from "../core.ts";
import type { RegistryAccess } from "./types.ts";

/**
 * How registries are reached: the caller's choices before the engine's.
 *
 * @param asked The registries that the caller's request may mean
 */
export function registryOptions(
  core: Pick<Core, "ports" | "options">,
  { credentials, tlsVerify, trustLoopback, retries, retryDelay }: RegistryAccess,
  asked: readonly string[],
): RegistryClientOptions {
  const { codec, clock } = core.ports;
  const [first, ...others] = new Set(asked.map(credentialKey));
  const usual = core.options.credentials;
  return {
    conf: core.options.registries,
    hash: () => codec.hash(),
    async credentials(registry, path, isOwn) {
      const isAsked = isOwn && others.length === 0 && credentialKey(registry) === first;
      if (credentials === undefined) return await usual?.(registry, path, isAsked);
      const brought = await credentials(registry, path, isAsked);
      // The caller's credentials win, and in the requested registry even where it has none; other registries get the engine's.
      return brought !== undefined || isAsked ? brought : await usual?.(registry, path, false);
    },
    tls: core.options.tls,
    tlsVerify,
    trustLoopback,
    retries,
    retryDelay,
    sleep: (ms, signal) => clock.sleep(ms, signal),
  };
}
