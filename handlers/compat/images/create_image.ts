import type { Engine } from "../../../lib/engine/engine.ts";
import { EngineError } from "../../../lib/engine/errors.ts";
import { RegistryError } from "../../../lib/oci/registry/registry_error.ts";
import type { Context } from "../../../lib/rest/mod.ts";
import { dockerName } from "./docker_name.ts";
import { isSpokenByPodman } from "../../path_version.ts";
import { parsePlatform } from "./platform.ts";
import { progressMessages } from "../../images/docker_progress.ts";
import { beginProgress } from "../../images/pull_progress.ts";
import { parseMilliseconds } from "../../images/push_options.ts";
import { registryCredentials } from "../../images/registry_auth.ts";
import type { ProgressMessage } from "../../wire/compat/image.ts";
import type { CompatCreateImageQuery } from "../../wire/compat/query.ts";
import type { z } from "../../wire/zod.ts";
import { RequestError } from "../../request_error.ts";

/** A tag or a digest at the end of a name. */
const TAGGED = /[@:][^/]*$/;

/**
 * Pulls an image and tells how it goes. A name alone means all tags of the repository (`docker pull --all-tags`), as Docker has it: its
 * clients name the tag that they want. In the versions that Podman's service speaks it means `latest`.
 */
export async function createImage(
  engine: Engine,
  { fromImage = "", tag = "", platform = "", retry, retryDelay }: z.output<typeof CompatCreateImageQuery>,
  { request, signal, version }: Context,
): Promise<AsyncIterable<ProgressMessage>> {
  if (fromImage === "") throw new RequestError("malformed", "fromImage parameter cannot be empty");
  const reference = withTag(fromImage, tag);
  const allTags = !TAGGED.test(reference) && !isSpokenByPodman(version);
  const credentials = registryCredentials(request.headers);
  const pause = retryDelay === undefined ? undefined : parseMilliseconds("retryDelay", retryDelay);
  const options = {
    policy: "always",
    platform: parsePlatform(platform),
    credentials,
    trustLoopback: true,
    allTags,
    retries: retry,
    retryDelay: pause,
    signal,
  } as const;
  const name = dockerName(engine, reference);
  const known = imagesOf(engine, name, allTags);
  // Scripts look for these words.
  const tellEnd = () => {
    const found = imagesOf(engine, name, allTags);
    if (found.length === 0) return [];
    const shown = allTags || TAGGED.test(reference) ? reference : `${reference}:latest`;
    const isSame = found.every(({ id }, index) => known[index]?.id === id);
    const status = isSame ? "Image is up to date for" : "Downloaded newer image for";
    return [...found.map(({ digest }) => `Digest: ${digest}`), `Status: ${status} ${shown}`];
  };
  try {
    const progress = await beginProgress(engine.images.pull(name, options));
    return progressMessages(progress, reference, { tellEnd, allTags });
  } catch (error) {
    throw pullRefusal(error);
  }
}

/** The images here that a pull may change. */
function imagesOf({ images }: Engine, name: string, allTags: boolean): { id: string; digest: string }[] {
  if (allTags) return images.namesIn(name).map((one) => images.resolve(one));
  return images.exists(name) ? [images.resolve(name)] : [];
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
