import type { Engine } from "../../lib/engine/engine.ts";
import type { Context, Implementation } from "../../lib/rest/mod.ts";
import { registryCredentials } from "../images/registry_auth.ts";
import { implementFamily } from "../implement_family.ts";
import type { BuildQuery } from "../wire/builds/build.ts";
import type { BuildResponse } from "../wire/files/commit.ts";
import { buildsAPI } from "./api.ts";
import { buildMessages } from "./build_messages.ts";
import { buildOptions } from "./build_options.ts";

/** The operations on builds over an engine. */
export function implementBuilds(engine: Engine): Implementation {
  return implementFamily(buildsAPI, {
    BuildImage: (query, body, context) => buildImage(engine, query, body, context),
  });
}

/** Builds an image of the body. */
async function buildImage(
  engine: Engine,
  query: BuildQuery,
  body: ReadableStream<Uint8Array>,
  { request, signal }: Context,
): Promise<AsyncIterable<BuildResponse>> {
  const options = buildOptions(query);
  const registry = { ...options.registry, credentials: registryCredentials(request.headers) };
  const build = engine.builds.build({ ...options, registry, context: body, signal });
  return await buildMessages(build, { style: "podman", quiet: query.q });
}
