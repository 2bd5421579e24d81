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

/** The content type of a build's messages, lines of JSON, as Podman and Docker say it. */
export const MESSAGES = "application/json";

/** Builds an image of the body. */
async function buildImage(
  engine: Engine,
  query: BuildQuery,
  body: ReadableStream<Uint8Array>,
  { request, signal, headers }: Context,
): Promise<AsyncIterable<BuildResponse>> {
  headers.set("content-type", MESSAGES);
  const type = request.headers.get("content-type");
  requireArchive(type);
  const source = hasContextParts(type) ? { contextParts: readContextParts(body, type) } : { context: body };
  const build = engine.builds.build({ ...engineOptions(query, request), ...source, signal });
  return await buildMessages(build, { style: "podman", quiet: query.q });
}

/** Builds an image of a folder of this machine. */
async function buildLocally(
  engine: Engine,
  { localcontextdir: folder = "", ...query }: LocalBuildQuery,
  { request, signal, headers }: Context,
): Promise<AsyncIterable<BuildResponse>> {
  headers.set("content-type", MESSAGES);
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

/** Podman's API insists on it, where Docker's takes whatever the type. */
function requireArchive(type: string | null): void {
  const name = type?.split(";")[0].trim().toLowerCase() ?? "";
  if (["", "application/x-tar", "application/tar"].includes(name) || hasContextParts(type)) return;
  throw new RequestError("malformed", `Content-Type: ${name} is not supported. Should be "application/x-tar"`);
}

function engineOptions(query: BuildQuery, { headers }: Request, isLocal = false): BuildOptions {
  const options = buildOptions(query, isLocal);
  // Without a name either of them is read.
  const dockerfiles = query.dockerfile ? options.dockerfiles : [];
  return { ...options, dockerfiles, registry: { ...options.registry, credentials: registryCredentials(headers) } };
}
