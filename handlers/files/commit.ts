import type { CommitOptions } from "../../lib/engine/containers/files/commit.ts";
import type { Engine } from "../../lib/engine/engine.ts";
import type { ExecutionConfig } from "../../lib/oci/image_config.ts";
import type { Context } from "../../lib/rest/mod.ts";
import { errorText } from "../images/pull_progress.ts";
import type { BuildResponse, CommitQuery, CompatCommitQuery, IDResponse } from "../wire/files/commit.ts";
import type { Config } from "../wire/compat/config.ts";
import { RequestError } from "../request_error.ts";

/** Makes an image of a container: one answer with its ID, or, streamed, what is done and then the ID. */
export async function commitContainer(
  engine: Engine,
  query: CommitQuery,
  config: Config,
  { signal }: Context,
): Promise<AsyncIterable<IDResponse | BuildResponse>> {
  const { format = "oci", repo = "", tag, comment = "" } = query;
  if (format !== "oci" && format !== "docker") {
    throw new RequestError("malformed", `unrecognized image format "${format}"`);
  }
  if (format === "oci" && comment !== "") {
    throw new RequestError("refused", "messages are only compatible with the docker image format (-f docker)");
  }
  const name = repo === "" ? undefined : `${repo}:${tag || "latest"}`;
  const container = engine.containers.resolve(query.container ?? "");
  const options = commitOptions(query, config, { name, format, signal });
  const work = engine.containers.files.commit(container.id, options);
  if (query.stream) return commitSteps(container.id, work);
  const { id } = await work;
  return (async function* () {
    yield { Id: id };
  })();
}

/** Docker's twin: the format is Docker's, and names are those of Docker Hub. */
export async function compatCommit(
  engine: Engine,
  query: CompatCommitQuery,
  config: Config,
  nameOf: (name: string) => string,
  { signal }: Context,
): Promise<IDResponse> {
  const { repo = "", tag = "latest" } = query;
  const name = repo === "" ? undefined : nameOf(`${repo}:${tag}`);
  const { id } = engine.containers.resolve(query.container ?? "");
  const options = commitOptions(query, config, { name, format: "docker", tellsCommand: true, signal });
  return { Id: (await engine.containers.files.commit(id, options)).id };
}

function commitOptions(
  { author, comment, changes, pause, squash }: Omit<CompatCommitQuery, "repo" | "tag">,
  config: Config,
  more: Pick<CommitOptions, "name" | "format" | "tellsCommand" | "signal">,
): CommitOptions {
  return { author, message: comment, changes, pause, squash, override: overrideOf(config), ...more };
}

/** The fields that say something of an image; the others are those of a container's creation. */
function overrideOf(config: Config): ExecutionConfig {
  const { User, ExposedPorts, Env, Cmd, Healthcheck, ArgsEscaped, Volumes, WorkingDir, Entrypoint } = config;
  const { OnBuild, Labels, StopSignal, StopTimeout, Shell } = config;
  const more = { OnBuild, Labels, StopSignal, StopTimeout, Shell, Healthcheck, ArgsEscaped };
  const given = { User, ExposedPorts, Env, Cmd, Volumes, WorkingDir, Entrypoint, ...more };
  const isGiven = ([, value]: [string, unknown]) => value !== null && value !== undefined;
  return Object.fromEntries(Object.entries(given).filter(isGiven));
}

async function* commitSteps(container: string, work: Promise<{ id: string }>): AsyncGenerator<BuildResponse> {
  work.catch(() => {});
  yield { stream: `Committing container ${container}\n` };
  try {
    yield { stream: (await work).id };
  } catch (error) {
    yield { errorDetail: { message: errorText(error) } };
  }
}
