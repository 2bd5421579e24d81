import type { Engine } from "../../../lib/engine/engine.ts";
import { EngineError } from "../../../lib/engine/errors.ts";
import type { Implementation } from "../../../lib/rest/mod.ts";
import { implementFamily } from "../../implement_family.ts";
import { dockerName } from "../images/docker_name.ts";
import { logIn, loginText } from "../../images/login.ts";
import { registryCredentials } from "../../images/registry_auth.ts";
import { DistributionInspect } from "../../wire/compat/registry.ts";
import { emit } from "../../wire/emit.ts";
import { compatRegistriesAPI } from "./api.ts";
import { RequestError } from "../../request_error.ts";

/** The registry operations of Docker's tree over an engine. */
export function compatRegistries(engine: Engine): Implementation {
  return implementFamily(compatRegistriesAPI, {
    CompatAuth: async (config, { signal }) => {
      try {
        await logIn(engine, config, signal, { trustLoopback: true });
      } catch (error) {
        if (!(error instanceof EngineError || error instanceof RequestError)) throw error;
        // Podman answers 500 here, whatever the registry says; its native tree has no such operation.
        throw new RequestError("refused", loginText(config, error), { cause: error });
      }
      return { IdentityToken: "", Status: "Login Succeeded" };
    },
    CompatInspectDistribution: async (name, { request, signal }) => {
      const credentials = registryCredentials(request.headers);
      const access = { credentials, trustLoopback: true, signal };
      const { descriptor, platforms } = await engine.images.inspectRemote(dockerName(engine, name), access);
      return emit(DistributionInspect, {
        Descriptor: descriptor,
        Platforms: platforms.map((platform) => ({ ...platform, features: undefined })),
      });
    },
  });
}
