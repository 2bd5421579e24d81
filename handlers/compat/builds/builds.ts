import type { Engine } from "../../../lib/engine/engine.ts";
import type { Context, Implementation } from "../../../lib/rest/mod.ts";
import { buildMessages } from "../../builds/build_messages.ts";
import { MESSAGES } from "../../builds/builds.ts";
import { buildOptions } from "../../builds/build_options.ts";
import { registryCredentials } from "../../images/registry_auth.ts";
import { implementFamily } from "../../implement_family.ts";
import type { CompatBuildQuery } from "../../wire/builds/build.ts";
import type { BuildResponse } from "../../wire/files/commit.ts";
import { dockerName, localName } from "../images/docker_name.ts";
import { compatBuildsAPI } from "./api.ts";
import { BuildKitDoors } from "./buildkit_doors.ts";

/** The operations on builds of Docker's tree over an engine. */
export function compatBuilds(engine: Engine): Implementation {
  const doors = new BuildKitDoors(engine);
  return implementFamily(compatBuildsAPI, {
    CompatBuildKit: (context) => doors.serveCalls(context),
    CompatBuildSession: (context) => doors.openSession(context),
    CompatBuildImage: (query, body, context) => buildImage(engine, query, body, context),
  });
}

/** Builds an image of the body, of Docker's format and with Docker's names. */
async function buildImage(
  engine: Engine,
  query: CompatBuildQuery,
  body: ReadableStream<Uint8Array>,
  { request, signal, headers }: Context,
): Promise<AsyncIterable<BuildResponse>> {
  headers.set("content-type", MESSAGES);
  // docker-py names a Dockerfile outside the context twice: the file that it has put there, and the text in it. Go reads the first.
  const dockerfile = new URL(request.url).searchParams.get("dockerfile") ?? undefined;
  const options = buildOptions({ ...withoutSession(query), dockerfile });
  const build = engine.builds.build({
    ...options,
    format: options.format ?? "docker",
    registry: { ...options.registry, credentials: registryCredentials(request.headers), trustLoopback: true },
    findName: (name) => localName(engine, name),
    fullName: (name) => dockerName(engine, name),
    context: body,
    recordsParents: true,
    signal,
  });
  return await buildMessages(build, { style: "docker", quiet: query.q });
}

/**
 * Leaves out the session of BuildKit's first form (`version=2`), by which dockerode and testcontainers only answer questions for
 * credentials that they send in a header as well. A context that the session itself would carry is refused as before.
 */
function withoutSession({ session, version, ...query }: CompatBuildQuery): CompatBuildQuery {
  return version === "2" && query.remote !== "client-session" ? query : { ...query, session, version };
}
