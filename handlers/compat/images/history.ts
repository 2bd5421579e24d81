import type { Engine } from "../../../lib/engine/engine.ts";
import type { ImageRecord } from "../../../lib/engine/records/image_record.ts";
import { imageHistory, UNKNOWN_STEP } from "../../images/view.ts";
import { isSpokenByPodman } from "../../path_version.ts";
import { nameShower } from "./docker_name.ts";
import type { HistoryResponse } from "../../wire/images/image.ts";

/**
 * An image's history, newest first, with IDs as Docker has them: the image's own, those of the parents that commits and classic
 * builds recorded, and `<missing>` from the first image on that has none. Where Podman's service answers, its words: each step
 * that made an image which is here has that one's ID, whoever built it, and even `<missing>` is a digest.
 */
export function dockerHistory(
  engine: Engine,
  image: Readonly<ImageRecord>,
  version: string | undefined,
): HistoryResponse[] {
  const { images } = engine;
  const show = nameShower(engine, version);
  const layerSize = (diffID: string) => images.layerSize(diffID);
  if (isSpokenByPodman(version)) {
    return imageHistory(image, images.relations, layerSize).map((step) => ({ ...step, Id: `sha256:${step.Id}` }));
  }
  const find = (id: string) => images.exists(id) ? images.resolve(id) : undefined;
  const steps = imageHistory(image, { ancestorsOf: (image) => recordedAncestors(image, find) }, layerSize);
  return steps.map((step) =>
    step.Id === UNKNOWN_STEP ? step : { ...step, Id: `sha256:${step.Id}`, Tags: step.Tags?.map(show) ?? null }
  );
}

/** The parents of an image by the number of the step that made each; `undefined` below the last one that is known. */
function recordedAncestors(
  image: Readonly<ImageRecord>,
  find: (id: string) => Readonly<ImageRecord> | undefined,
): (Readonly<ImageRecord> | undefined)[] {
  const ancestors: (Readonly<ImageRecord> | undefined)[] = (image.config.history ?? []).map(() => undefined);
  let { parent } = image;
  for (let at = ancestors.length - 2; at >= 0 && parent !== undefined; at--) {
    const found = find(parent);
    ancestors[at] = found;
    parent = found?.parent;
  }
  return ancestors;
}
