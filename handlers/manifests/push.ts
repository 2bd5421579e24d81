import type { Engine } from "../../lib/engine/engine.ts";
import type { PushOptions, PushProgress } from "../../lib/engine/images/types.ts";
import type { Context } from "../../lib/rest/mod.ts";
import { beginProgress, errorText } from "../images/pull_progress.ts";
import { isUnderWay, pushFailure } from "../images/push.ts";
import { compressionOf, pushOptions } from "../images/push_options.ts";
import { registryCredentials } from "../images/registry_auth.ts";
import { emit } from "../wire/emit.ts";
import { type ManifestPushQuery, ManifestPushReport, type ManifestPushV3Query } from "../wire/manifests/manifest.ts";
import { RequestError } from "../request_error.ts";

/** Pushes a manifest list; the last report has the digest. Unless told otherwise it is the only one. */
export async function pushManifest(
  engine: Engine,
  name: string,
  destination: string,
  query: ManifestPushQuery,
  { request, signal }: Context,
): Promise<AsyncIterable<ManifestPushReport>> {
  const { quiet = true, all, addCompression = [] } = query;
  const added = addCompression.flatMap((name) => compressionOf(name) ?? []);
  const credentials = registryCredentials(request.headers);
  const options = { ...pushOptions(query), all: all ?? true, addCompression: added, destination, credentials, signal };
  const progress = await startPush(engine, name, options);
  if (!quiet) return pushReports(progress);
  const Id = await digestOf(progress, destination);
  return (async function* () {
    yield emit(ManifestPushReport, { Id });
  })();
}

/** The push of the third generation: quiet, and only told to send everything does it. */
export async function pushManifestV3(
  engine: Engine,
  name: string,
  { destination = "", all = false, tlsVerify }: ManifestPushV3Query,
  { request, signal }: Context,
): Promise<{ Id: string }> {
  if (destination === "") throw new RequestError("malformed", "destination parameter cannot be empty");
  const credentials = registryCredentials(request.headers);
  const progress = await startPush(engine, name, { all, tlsVerify, destination, credentials, signal });
  return { Id: await digestOf(progress, destination) };
}

async function startPush(
  engine: Engine,
  name: string,
  options: PushOptions & { destination: string },
): Promise<AsyncIterable<PushProgress>> {
  try {
    return await beginProgress(engine.images.lists.push(name, options), isUnderWay);
  } catch (error) {
    throw pushFailure(error, options.destination);
  }
}

async function digestOf(progress: AsyncIterable<PushProgress>, destination: string): Promise<string> {
  let digest = "";
  try {
    for await (const value of progress) if (value.kind === "done") digest = value.digest;
  } catch (error) {
    throw pushFailure(error, destination);
  }
  return digest;
}

async function* pushReports(progress: AsyncIterable<PushProgress>): AsyncIterable<ManifestPushReport> {
  try {
    for await (const value of progress) {
      if (value.kind === "status") yield emit(ManifestPushReport, { stream: `${value.text}\n` });
      else if (value.kind === "done") yield emit(ManifestPushReport, { Id: value.digest });
    }
  } catch (error) {
    yield emit(ManifestPushReport, { error: errorText(error) });
  }
}
