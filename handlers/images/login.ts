import type { Engine } from "../../lib/engine/engine.ts";
import { EngineError } from "../../lib/engine/errors.ts";
import type { RegistryAccess } from "../../lib/engine/images/types.ts";
import { isDomain } from "../../lib/oci/reference.ts";
import { credentialKey } from "../../lib/oci/registry/auth_file.ts";
import { RequestError } from "../request_error.ts";
import type { AuthConfig } from "../wire/auth.ts";
import { credentialOf } from "./registry_auth.ts";

/** The text of a login that failed, for both trees. */
export function loginText({ serveraddress = "" }: AuthConfig, error: EngineError | RequestError): string {
  return `login attempt to ${serveraddress} failed with status: ${
    error.status === 401 ? "401 Unauthorized" : error.message
  }`;
}

/**
 * Asks a registry whether it takes a credential. Throws where it does not, with the registry's status.
 *
 * @param usual Choices of the tree that the request came by
 */
export async function logIn(
  engine: Engine,
  config: AuthConfig,
  signal: AbortSignal,
  usual: Pick<RegistryAccess, "trustLoopback"> = {},
): Promise<void> {
  const server = config.serveraddress || "docker.io";
  const host = credentialKey(server).split("/", 1)[0];
  if (!isDomain(host)) throw new RequestError("invalid", `"${host}" is no registry`);
  const credential = credentialOf(config) ?? {};
  const isToken = credential.identityToken !== undefined || credential.registryToken !== undefined;
  // As Podman says it, whose clients could be asked.
  if (!isToken && !credential.username) {
    throw new RequestError("invalid", "cannot prompt for username without stdin");
  }
  if (!isToken && !credential.password) {
    throw new RequestError("invalid", "reading password: inappropriate ioctl for device");
  }
  // For tests on one machine, as in Podman.
  const isLocal = /^localhost(?::\d+)?$/.test(host);
  const access = { ...isLocal && { tlsVerify: false }, ...usual };
  await engine.images.login(host, credential, { ...access, retries: 0, signal });
}

/** As {@linkcode logIn}, for the native tree: 401 for a credential that the registry refuses. */
export async function nativeLogin(engine: Engine, config: AuthConfig, signal: AbortSignal): Promise<void> {
  try {
    await logIn(engine, config, signal);
  } catch (error) {
    if (!(error instanceof EngineError || error instanceof RequestError)) throw error;
    const code = error.status === 401 ? "unauthorized" : error instanceof EngineError ? error.code : "invalid";
    throw new EngineError(code, loginText(config, error), { cause: error });
  }
}
