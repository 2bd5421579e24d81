import type { RegistryClientOptions } from "../../oci/registry_sessions.ts";
import type { Core } from "../core.ts";
import type { RegistryAccess } from "./types.ts";

/** How registries are reached: the caller's choices before the engine's. */
export function registryOptions(
  core: Pick<Core, "ports" | "options">,
  { credentials, tlsVerify, retries, retryDelay }: RegistryAccess,
): RegistryClientOptions {
  const { codec, clock } = core.ports;
  return {
    conf: core.options.registries,
    hash: () => codec.hash(),
    credentials: credentials ?? core.options.credentials,
    tls: core.options.tls,
    tlsVerify,
    retries,
    retryDelay,
    sleep: (ms, signal) => clock.sleep(ms, signal),
  };
}
