import type { ExecutionConfig, ImageConfig } from "../../oci/image_config.ts";
import { EngineError } from "../errors.ts";
import type { ImageRecord } from "../records/image_record.ts";
import type { BuildRun } from "./build_run.ts";
import { imageConfig } from "./build_run.ts";
import { inlineKeys } from "./shared_cache/shared_step.ts";
import { squashImage } from "./squash_image.ts";
import { environmentOf } from "./stage_config.ts";
import type { StageState } from "./stage_state.ts";

/**
 * The image of a build from the last step's: it gets what is no part of any instruction (annotations, the system's version), and
 * loses what the caller does not want in it. Where there is nothing of that it is the step's image itself.
 */
export async function finishImage(
  run: BuildRun,
  state: StageState & { image: Readonly<ImageRecord> },
): Promise<Readonly<ImageRecord>> {
  const {
    options: {
      annotations = {},
      osVersion,
      osFeatures = [],
      unsetEnv = [],
      omitHistory,
      squash,
      inlineCache,
      ...options
    },
  } = run;
  const keys = inlineCache && !squash && !omitHistory ? state.steps.map(({ key }) => key) : [];
  const image = squash ? await squashImage(run, state) : state.image;
  const isSame = Object.keys(annotations).length === 0 && osVersion === undefined && osFeatures.length === 0 &&
    unsetEnv.length === 0 && !omitHistory && keys.length === 0;
  if (isSame) return image;
  const notes = Object.entries(annotations).map(([name, value]) => `${name}=${value}`);
  if (notes.length > 0 && omitHistory) {
    throw new EngineError("unsupported", "annotations and an omitted history are not supported together");
  }
  const { created, author, config = {} } = image.config;
  const plain = imageConfig(run, image.config, {
    config: withoutVariables(config, unsetEnv),
    ...created && { created },
    ...author && { author },
  });
  const whole: ImageConfig = {
    ...plain,
    ...osVersion !== undefined && { "os.version": osVersion },
    // The entry of the annotations is no step.
    ...keys.length > 0 && inlineKeys(notes.length === 0 ? keys : [...keys, ""]),
    ...osFeatures.length > 0 && { "os.features": [...osFeatures] },
  };
  return await run.images.assemble({
    base: image.id,
    layers: [],
    config: whole,
    // An image's ID is its config's digest: without this, one with annotations would be the one without.
    history: notes.length === 0 ? [] : [{ created, created_by: `ANNOTATION ${notes.join(" ")}`, empty_layer: true }],
    omitHistory,
    annotations,
    format: options.format ?? "oci",
    recordsParent: options.recordsParents,
    signal: run.signal,
  });
}

function withoutVariables(config: ExecutionConfig, names: readonly string[]): ExecutionConfig {
  if (names.length === 0) return config;
  const left = [...environmentOf(config)].filter(([name]) => !names.includes(name));
  return { ...config, Env: left.map(([name, value]) => `${name}=${value}`) };
}
