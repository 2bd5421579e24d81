import type { Engine } from "../../../lib/engine/engine.ts";
import { EngineError } from "../../../lib/engine/errors.ts";
import { credentialKey } from "../../../lib/oci/registry/auth_file.ts";
import { isDomain } from "../../../lib/oci/reference.ts";
import type { Implementation } from "../../../lib/rest/mod.ts";
import { implementFamily } from "../../implement_family.ts";
import { dockerName } from "../images/docker_name.ts";
import { credentialOf, registryCredentials } from "../../images/registry_auth.ts";
import type { AuthConfig } from "../../wire/auth.ts";
import { DistributionInspect } from "../../wire/compat/registry.ts";
import { emit } from "../../wire/emit.ts";
import { compatRegistriesAPI } from "./api.ts";
import { RequestError } from "../../request_error.ts";

/** The registry operations of Docker's tree over an engine. */
export function compatRegistries(engine: Engine): Implementation {
  return implementFamily(compatRegistriesAPI, {
    CompatAuth: async (config, { signal }) => {
      try {
        await logIn(engine, config, signal);
      } catch (error) {
        if (!(error instanceof EngineError || error instanceof RequestError)) throw error;
        const why = error.status === 401 ? "401 Unauthorized" : error.message;
        const text = `login attempt to ${config.serveraddress ?? ""} failed with status: ${why}`;
        throw new RequestError("refused", text, { cause: error });
      }
      return { IdentityToken: "", Status: "Login Succeeded" };
    },
    CompatInspectDistribution: async (name, { request, signal }) => {
      const credentials = registryCredentials(request.headers);
      const access = { credentials, signal };
      const { descriptor, platforms } = await engine.images.inspectRemote(dockerName(engine, name), access);
      return emit(DistributionInspect, {
        Descriptor: descriptor,
        Platforms: platforms.map((platform) => ({ ...platform, features: undefined })),
      });
    },
  });
}

async function logIn(engine: Engine, config: AuthConfig, signal: AbortSignal): Promise<void> {
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
  await engine.images.login(host, credential, { ...isLocal && { tlsVerify: false }, retries: 0, signal });
}
