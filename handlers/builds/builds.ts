import type { BuildOptions } from "../../lib/engine/build/build_options.ts";
import type { Engine } from "../../lib/engine/engine.ts";
import type { Context, Implementation } from "../../lib/rest/mod.ts";
import { registryCredentials } from "../images/registry_auth.ts";
import { RequestError } from "../request_error.ts";
import { implementFamily } from "../implement_family.ts";
import type { BuildQuery, LocalBuildQuery } from "../wire/builds/build.ts";
import type { BuildResponse } from "../wire/files/commit.ts";
import { buildsAPI } from "./api.ts";
import { buildMessages } from "./build_messages.ts";
import { buildOptions } from "./build_options.ts";
import { hasContextParts, readContextParts } from "./context_parts.ts";

/** The operations on builds over an engine. */
export function implementBuilds(engine: Engine): Implementation {
  return implementFamily(buildsAPI, {
    BuildImage: (query, body, context) => buildImage(engine, query, body, context),
    LocalBuildImage: (query, context) => buildLocally(engine, query, context),
  });
}

/** Builds an image of the body. */
async function buildImage(
  engine: Engine,
  query: BuildQuery,
  body: ReadableStream<Uint8Array>,
  { request, signal }: Context,
): Promise<AsyncIterable<BuildResponse>> {
  const { headers } = request;
  const type = headers.get("content-type");
  const source = hasContextParts(type) ? { contextParts: readContextParts(body, type) } : { context: body };
  const build = engine.builds.build({ ...engineOptions(query, request), ...source, signal });
  return await buildMessages(build, { style: "podman", quiet: query.q });
}

/** Builds an image of a folder of this machine. */
async function buildLocally(
  engine: Engine,
  { localcontextdir: folder = "", ...query }: LocalBuildQuery,
  { request, signal }: Context,
): Promise<AsyncIterable<BuildResponse>> {
  if (folder === "") {
    throw new RequestError("malformed", "localcontextdir cannot be empty", { field: "localcontextdir" });
  }
  const options = engineOptions(query, request, true);
  const inside = `${folder.replace(/\/+$/, "")}/`;
  // The client names them by their own paths.
  const dockerfiles = options.dockerfiles.map((name) => {
    return `/${name}`.startsWith(inside) ? `/${name}`.slice(inside.length) : name;
  });
  const build = engine.builds.build({ ...options, dockerfiles, contextFolder: folder, signal });
  return await buildMessages(build, { style: "podman", quiet: query.q });
}

function engineOptions(query: BuildQuery, { headers }: Request, isLocal = false): BuildOptions {
  const options = buildOptions(query, isLocal);
  return { ...options, registry: { ...options.registry, credentials: registryCredentials(headers) } };
}
