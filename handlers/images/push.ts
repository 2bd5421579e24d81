import { EngineError } from "../../lib/engine/errors.ts";
import type { Engine } from "../../lib/engine/engine.ts";
import type { PushProgress } from "../../lib/engine/images/types.ts";
import type { Context } from "../../lib/rest/mod.ts";
import { isBefore } from "../path_version.ts";
import { emit } from "../wire/emit.ts";
import { ImagePushStream } from "../wire/images/image.ts";
import type { PushQuery } from "../wire/images/image_query.ts";
import { beginProgress, errorText } from "./pull_progress.ts";
import { pushOptions } from "./push_options.ts";
import { registryCredentials } from "./registry_auth.ts";

/** Pushes an image; unless it is to be quiet, which it is where nothing is said, tells how it goes and what digest came of it. */
export async function pushImage(
  engine: Engine,
  name: string,
  query: PushQuery,
  { request, signal, version }: Context,
): Promise<AsyncIterable<ImagePushStream>> {
  const { destination, quiet = true } = query;
  const options = { ...pushOptions(query), destination, credentials: registryCredentials(request.headers), signal };
  try {
    const progress = await beginProgress(engine.images.push(name, options), isUnderWay);
    // Older clients take a line without words for an error.
    if (!quiet) return pushStreams(progress, !isBefore(version, 4, 6));
    for await (const _ of progress) { /* Only the end matters. */ }
    return noProgress();
  } catch (error) {
    throw pushFailure(error, destination || name);
  }
}

/** Returns a push's failure in the form that clients know: every error of a registry is a 400. */
export function pushFailure(error: unknown, destination: string): unknown {
  if (!(error instanceof EngineError) || error.code === "no_such_image" || error.code === "cancelled") return error;
  const code = error.code === "registry" ? "invalid" : error.code;
  const { sentinel } = error;
  return new EngineError(code, `pushing image "${destination}": ${error.message}`, { cause: error, sentinel });
}

/** Whether the registry has answered something but an error. */
export function isUnderWay(progress: PushProgress): boolean {
  if (progress.kind === "layer") return progress.state !== "waiting" && progress.state !== "compressing";
  return progress.kind === "done";
}

async function* pushStreams(
  progress: AsyncIterable<PushProgress>,
  tellDigest: boolean,
): AsyncIterable<ImagePushStream> {
  try {
    for await (const value of progress) {
      if (value.kind === "status") yield emit(ImagePushStream, { stream: `${value.text}\n` });
      else if (value.kind === "done") {
        if (tellDigest) yield emit(ImagePushStream, { manifestdigest: value.digest });
      } else if (value.state === "exists" || value.state === "mounted") {
        const why = value.state === "exists" ? "already exists" : "mounted from another repository";
        yield emit(ImagePushStream, { stream: `Copying blob ${value.digest} skipped: ${why}\n` });
      }
    }
  } catch (error) {
    yield emit(ImagePushStream, { error: errorText(error) });
  }
}

async function* noProgress(): AsyncIterable<ImagePushStream> {}
