import {
  formatReference,
  normaliseReference,
  type Reference,
  repositoryName as repositoryOf,
  withDefaultTag,
} from "../../../oci/reference.ts";
import { RegistryWriter } from "../../../oci/registry/registry_writer.ts";
import { EngineError } from "../../errors.ts";
import { BlobPlaces } from "../store/blob_places.ts";
import { claimBlobs } from "../store/content.ts";
import { pullFailure } from "../failures.ts";
import { type ImageParts, withIntake } from "../ingest/ingest.ts";
import type { Found } from "../store/lookup.ts";
import { registryOptions } from "../registry_options.ts";
import { registryReference } from "../transport.ts";
import type { PushOptions, PushProgress } from "../types.ts";
import { pushList } from "../manifests/push_list.ts";
import { localSource } from "./local_source.ts";
import { choiceOf } from "./push_context.ts";
import { pushManifest } from "./push_manifest.ts";

/** Pushes what a name found; see {@linkcode Images.push}. */
export async function pushImage(
  parts: ImageParts,
  found: Found,
  options: PushOptions,
  tell: (progress: PushProgress) => void,
  signal: AbortSignal,
): Promise<void> {
  const { core, catalogue } = parts;
  const { image } = found;
  if (image.list !== undefined) {
    const target = targetOf(options.destination ?? destinationOf(found));
    const select = options.all ? "all" : "one";
    return await pushList(parts, { image, list: image.list, target, select, options }, tell, signal);
  }
  const choice = choiceOf(options);
  const target = targetOf(options.destination ?? destinationOf(found));
  const writer = new RegistryWriter(core.ports.net, registryOptions(core, options, [target.domain]));
  await withIntake(parts, { signal, what: "Push" }, async (intake) => {
    claimBlobs(intake.claim, image);
    tell({ kind: "status", text: "Getting image source signatures" });
    const source = await localSource(intake, image, target.domain);
    const places = new BlobPlaces(core);
    const context = { ...intake, writer, target, choice, places, tell };
    const { digest, size } = await pushManifest(context, source, target);
    await core.state.commit(places.operations());
    const repository = repositoryOf(target);
    // By its own name there it is known by its digest too, as after a pull.
    if (digest === image.digest && image.names.some((name) => name.startsWith(`${repository}:`))) {
      await catalogue.addDigest(image.id, `${repository}@${digest}`);
    }
    core.events.emit({ type: "image", action: "push", id: image.id, name: formatReference(target) });
    tell({ kind: "done", digest, size, name: formatReference(target) });
  });
}

/** The full name that a push's destination means. Throws `EngineError("invalid")`. */
export function targetOf(text: string): Reference {
  const named = registryReference(text);
  try {
    return withDefaultTag(normaliseReference(named));
  } catch (error) {
    throw new EngineError("invalid", pullFailure(error).message, { cause: error });
  }
}

function destinationOf({ name, by, image }: Found): string {
  if (by === "name") return name;
  throw new EngineError("invalid", `Push ${image.id}: an ID or a digest does not say where to: give a destination`);
}
