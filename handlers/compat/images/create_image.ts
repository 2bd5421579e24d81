import type { Engine } from "../../../lib/engine/engine.ts";
import { EngineError } from "../../../lib/engine/errors.ts";
import { RegistryError } from "../../../lib/oci/registry/registry_error.ts";
import type { Context } from "../../../lib/rest/mod.ts";
import { dockerName } from "./docker_name.ts";
import { parsePlatform } from "./platform.ts";
import { progressMessages } from "../../images/docker_progress.ts";
import { beginProgress } from "../../images/pull_progress.ts";
import { parseMilliseconds } from "../../images/push_options.ts";
import { registryCredentials } from "../../images/registry_auth.ts";
import type { ProgressMessage } from "../../wire/compat/image.ts";
import type { CompatCreateImageQuery } from "../../wire/compat/query.ts";
import type { z } from "../../wire/zod.ts";
import { RequestError } from "../../request_error.ts";

/** Pulls an image and tells how it goes. */
export async function createImage(
  engine: Engine,
  { fromImage = "", tag = "", platform = "", retry, retryDelay }: z.output<typeof CompatCreateImageQuery>,
  { request, signal }: Context,
): Promise<AsyncIterable<ProgressMessage>> {
  if (fromImage === "") throw new RequestError("malformed", "fromImage parameter cannot be empty");
  const reference = withTag(fromImage, tag);
  const credentials = registryCredentials(request.headers);
  const pause = retryDelay === undefined ? undefined : parseMilliseconds("retryDelay", retryDelay);
  const options = {
    policy: "always",
    platform: parsePlatform(platform),
    credentials,
    trustLoopback: true,
    retries: retry,
    retryDelay: pause,
    signal,
  } as const;
  const name = dockerName(engine, reference);
  const known = engine.images.exists(name) ? engine.images.resolve(name).id : undefined;
  // Scripts look for these words.
  const tellEnd = () => {
    if (!engine.images.exists(name)) return [];
    const { id, digest } = engine.images.resolve(name);
    const shown = /[@:][^/]*$/.test(reference) ? reference : `${reference}:latest`;
    const status = id === known ? "Image is up to date for" : "Downloaded newer image for";
    return [`Digest: ${digest}`, `Status: ${status} ${shown}`];
  };
  try {
    return progressMessages(await beginProgress(engine.images.pull(name, options)), reference, tellEnd);
  } catch (error) {
    throw pullRefusal(error);
  }
}

/** Docker's clients show a registry's words, and no more. */
function pullRefusal(error: unknown): unknown {
  let innermost = error;
  while (innermost instanceof EngineError && innermost.cause !== undefined) innermost = innermost.cause;
  if (!(error instanceof EngineError) || !(innermost instanceof RegistryError)) return error;
  const { code, status } = error;
  return new EngineError(code, innermost.own, { cause: error, status });
}

/** A name with its tag, which may be a digest; the name may have one already. */
export function withTag(name: string, tag: string): string {
  if (tag === "") return name;
  return tag.includes(":") ? `${name}@${tag}` : `${name}:${tag}`;
}
