import type { HistoryEntry, ImageConfig } from "../../oci/image_config.ts";
import type { Containers } from "../containers/containers.ts";
import type { Core } from "../core.ts";
import { messageOf } from "../../oci/message_of.ts";
import { EngineError } from "../errors.ts";
import { decompress } from "../images/ingest/decompress.ts";
import type { NewLayer } from "../images/ingest/ingest.ts";
import type { Images } from "../images/images.ts";
import type { Claim } from "../images/store/content.ts";
import type { FileTimes } from "../ports/tree_port.ts";
import type { ImageRecord } from "../records/image_record.ts";
import type { Platform } from "../options.ts";
import type { Volumes } from "../volumes/volumes.ts";
import type { BuildCache } from "./build_cache.ts";
import type { BuildOptions, BuildProgress } from "./build_options.ts";
import type { FileTree } from "./context/file_tree.ts";
import type { KeptFolders } from "./folders/kept_folders.ts";
import type { Dockerfile } from "./dockerfile/parse_dockerfile.ts";
import type { StagePlan } from "./plan_stages.ts";
import type { SharedCache } from "./shared_cache/shared_cache.ts";
import type { SharedStep } from "./shared_cache/shared_step.ts";
import type { StageState } from "./stage_state.ts";
import type { StepContainer, StepContainers } from "./step_container.ts";

/** One build under way. */
export interface BuildRun {
  core: Core;
  images: Images;
  containers: Containers;
  volumes: Volumes;
  cache: BuildCache;
  folders: KeptFolders;
  shared: SharedCache;
  steps: StepContainers;
  options: BuildOptions;
  signal: AbortSignal;
  /** Holds what is spooled until the build ends. */
  claim: Claim;
  /** Keeps images from going until the build ends. */
  pins: DisposableStack;
  context: FileTree;
  dockerfile: Dockerfile;
  plan: StagePlan;
  /** Stages that are built, by their index. */
  stages: Map<number, StageState>;
  /** Contexts besides the main one, by their name. */
  contextTrees: Map<string, Promise<FileTree>>;
  /** Trees that were copied from, by their image. */
  trees: Map<string, Promise<FileTree>>;
  /** Names of the caller's arguments that a stage took. */
  consumed: Set<string>;
}

/** Progress on the way, and the result at the end. */
export type BuildSteps<T> = AsyncGenerator<BuildProgress, T, undefined>;

/** One step's part in an image. */
export interface StepPlan {
  /** The stage's changes besides its image. */
  next: Partial<StageState>;
  /** Everything that goes into the step, besides what was before it. */
  inputs: readonly unknown[];
  /** The step's words in the history. */
  createdBy: string;
  /** Does the work in a container and commits it; absent: no files change. */
  work?: (commit: CommitStep) => BuildSteps<ImageRecord>;
}

/** Makes the step's image, of a layer where files were changed. */
export type CommitStep = (layer?: NewLayer) => Promise<ImageRecord>;

/** Takes the step's image from an earlier build, or makes it. */
export async function* makeStep(run: BuildRun, state: StageState, plan: StepPlan): BuildSteps<StageState> {
  const { cache, images, pins, options } = run;
  run.signal.throwIfAborted();
  const key = await cache.keyOf(state.key, ...plan.inputs);
  const next: StageState = { ...state, ...plan.next, key };
  const found = options.noCache ? undefined : await cache.find(key, options.cacheTTL);
  if (found) {
    pins.use(images.pin(found.id));
    yield { kind: "cached", id: found.id };
    return addStep(next, found);
  }
  const shared = options.noCache || state.isUnshared ? undefined : yield* takeShared(run, state, next, plan);
  if (shared !== undefined) {
    pins.use(images.pin(shared.image.id));
    await cache.keep(key, shared.image.id, state.image?.id);
    yield { kind: "cached", id: shared.image.id };
    return addStep(next, shared.image, shared.repository);
  }
  const { createdBy } = plan;
  const commit: CommitStep = (layer) => commitStep(run, state, next, { createdBy, layer });
  const image = plan.work ? yield* plan.work(commit) : await commit();
  pins.use(images.pin(image.id));
  await cache.keep(key, image.id, state.image?.id);
  yield { kind: "made", id: image.id };
  return { ...addStep(next, image), isUnshared: true };
}

function addStep(next: StageState, image: Readonly<ImageRecord>, repository?: string): StageState {
  return { ...next, image, steps: [...next.steps, { key: next.key, image: image.id, repository }] };
}

/** Makes a step's image of the result that another engine made. */
async function* takeShared(
  run: BuildRun,
  state: StageState,
  next: StageState,
  { createdBy }: StepPlan,
): BuildSteps<{ image: ImageRecord; repository?: string } | undefined> {
  const { shared, signal, core, options } = run;
  let step: SharedStep | undefined;
  try {
    step = await shared.find(next.key, signal, options.cacheTTL);
    for (const text of shared.takeNotes()) yield { kind: "note", text };
    if (step === undefined) return undefined;
    const { layer, created, repository } = step;
    const plain = layer && { tar: await decompress(core.ports.codec, await layer.open()) };
    const image = await commitStep(run, state, next, { createdBy, layer: plain, diffID: layer?.diffID, created });
    return { image, repository };
  } catch (error) {
    signal.throwIfAborted();
    // A layer that did not come whole, or is another one, left no image: the step is done here.
    yield { kind: "note", text: `Cached result not taken: ${messageOf(error)}\n` };
  }
}

/** Fails where a build has no container to work in. */
export function requireImage({ image }: StageState, keyword: string): Readonly<ImageRecord> {
  if (image) return image;
  throw new EngineError("invalid", `${keyword} needs files to run in: the stage is FROM scratch and has none yet`);
}

async function commitStep(
  run: BuildRun,
  { image: base }: StageState,
  { config, author }: StageState,
  { createdBy, layer, diffID, created = new Date(createdAt(run)).toISOString() }: {
    createdBy: string;
    layer?: NewLayer;
    /** The digest that the layer must have. */
    diffID?: string;
    created?: string;
  },
): Promise<ImageRecord> {
  const entry: HistoryEntry = { created, created_by: createdBy, ...author && { author } };
  return await run.images.assemble({
    ...base && { base: base.id },
    layers: layer ? [layer] : [],
    ...diffID !== undefined && { diffIDs: [diffID] },
    config: imageConfig(run, base?.config, { config: withoutEmpty(config), created, ...author && { author } }),
    history: [layer ? entry : { ...entry, empty_layer: true }],
    format: run.options.format ?? "oci",
    // Compressing takes most of the time; a push does it where it is wanted.
    compression: "none",
    recordsParent: run.options.recordsParents,
    signal: run.signal,
  });
}

/** The time that images of this build are made at, in milliseconds. */
export function createdAt({ core, options: { timestamp } }: BuildRun): number {
  return timestamp === undefined ? core.clock.now() : timestamp * 1000;
}

/**
 * The files that a step's container has changed, as a layer: its own files, unless it is kept or they are to have other times.
 *
 * @param mounted Absolute paths where something was mounted: what was made for that alone is left out
 */
export async function stepLayer(
  run: BuildRun,
  { id, isKept }: StepContainer,
  mounted: readonly string[] = [],
): Promise<NewLayer> {
  const { files } = run.containers;
  const times = fileTimes(run);
  const own = isKept || times !== undefined ? undefined : await files.finalLayer(id, mounted);
  return own ?? { tar: await files.changeset(id, mounted, times) };
}

/** The times that files of layers get. */
export function fileTimes({ options: { timestamp, rewriteTimes } }: BuildRun): FileTimes | undefined {
  if (rewriteTimes === undefined || timestamp === undefined) return undefined;
  return { seconds: timestamp, only: rewriteTimes };
}

/** The platform that a build makes its image for. */
export function targetPlatform({ options: { defaultPlatform } }: Core, { platform = {} }: BuildOptions): Platform {
  const { os, architecture, ...rest } = defaultPlatform;
  // Another architecture has variants of its own.
  const own = platform.architecture === undefined || platform.architecture === architecture ? rest : {};
  return { os, architecture, ...own, ...platform };
}

/** An image's config with other contents: what it runs on stays the base's, or is the build's. */
export function imageConfig(
  { core, options }: BuildRun,
  base: ImageConfig | undefined,
  fields: Pick<ImageConfig, "config" | "created" | "author">,
): ImageConfig {
  const { architecture, os, variant } = base ?? targetPlatform(core, options);
  return {
    architecture,
    os,
    ...variant && { variant },
    ...base?.["os.version"] && { "os.version": base["os.version"] },
    ...fields,
    rootfs: { type: "layers", diff_ids: [] },
  };
}

function withoutEmpty<T extends object>(config: T): T {
  const isEmpty = (value: unknown) =>
    value === undefined || value === null || value === "" ||
    (typeof value === "object" && Object.keys(value).length === 0);
  // Taking away what is empty leaves the type's own optional keys.
  return Object.fromEntries(Object.entries(config).filter(([, value]) => !isEmpty(value))) as T;
}
