import type { Engine } from "../../lib/engine/engine.ts";
import { EngineError } from "../../lib/engine/errors.ts";
import type { Implementation } from "../../lib/rest/mod.ts";
import { implementFamily } from "../implement_family.ts";
import { parseMilliseconds } from "../images/push_options.ts";
import { registryCredentials } from "../images/registry_auth.ts";
import { addFile } from "./add.ts";
import { artifactsAPI } from "./api.ts";
import { artifactReport } from "./view.ts";
import { RequestError } from "../request_error.ts";

/** The operations on artifacts over an engine. */
export function implementArtifacts(engine: Engine): Implementation {
  const { artifacts } = engine;
  return implementFamily(artifactsAPI, {
    ListArtifact: () => artifacts.list().map(artifactReport),
    InspectArtifact: (name) => artifactReport(artifacts.resolve(name)),
    AddArtifact: (query, content, { signal }) =>
      addFile(query, (name, fileName, options) => {
        return artifacts.add(name, { name: fileName, content }, { ...options, signal });
      }),
    AddLocalArtifact: (query, { signal }) =>
      addFile(query, (name, fileName, options) => {
        return artifacts.addPath(name, { name: fileName, path: query.path ?? "" }, { ...options, signal });
      }),
    ExtractArtifact: (name, { digest, title, excludetitle: excludeTitle }) => {
      const artifact = artifacts.resolve(name);
      try {
        return artifacts.extract(artifact.digest, { digest, title, excludeTitle });
      } catch (error) {
        throw asPodman(error);
      }
    },
    PullArtifact: async ({ name = "", retry, retryDelay, tlsVerify }, { request, signal }) => {
      if (name === "") throw new RequestError("malformed", "name parameter is required");
      const credentials = registryCredentials(request.headers);
      const access = { credentials, tlsVerify, retries: retry, ...retryDelayOf("retryDelay", retryDelay), signal };
      return { ArtifactDigest: (await artifacts.pull(name, access)).digest };
    },
    PushArtifact: async (name, { retry, retrydelay, tlsVerify }, { request, signal }) => {
      const credentials = registryCredentials(request.headers);
      const access = { credentials, tlsVerify, retries: retry, ...retryDelayOf("retrydelay", retrydelay), signal };
      return { ArtifactDigest: await artifacts.push(findArtifact(engine, name), access) };
    },
    BatchRemoveArtifact: async ({ all = false, artifacts: names = [], ignore }) => {
      if (all && names.length > 0) {
        throw new RequestError("malformed", "when setting all to true, you may not pass any artifact names or digests");
      }
      if (!all && names.length === 0) {
        throw new RequestError("malformed", "an artifact or all option must be specified");
      }
      return { ArtifactDigests: all ? await artifacts.removeAll() : await artifacts.remove(names, { ignore }) };
    },
    RemoveArtifact: async (name) => ({ ArtifactDigests: await artifacts.remove([name]) }),
  });
}

function retryDelayOf(name: string, text: string | undefined): { retryDelay?: number } {
  return text === undefined ? {} : { retryDelay: parseMilliseconds(name, text) };
}

/** The artifact's name, or the words that clients know of a push of what is not there. */
function findArtifact({ artifacts }: Engine, name: string): string {
  try {
    return artifacts.resolve(name).name;
  } catch (error) {
    if (!(error instanceof EngineError) || error.code !== "no_such_artifact") throw error;
    throw new EngineError("no_such_artifact", `no descriptor found for reference "${name}"`, { cause: error });
  }
}

/** Podman answers 500 for choices that fit none of an artifact's files. */
function asPodman(error: unknown): unknown {
  if (!(error instanceof EngineError) || error.code !== "invalid") return error;
  return new RequestError("refused", error.message, { cause: error });
}
