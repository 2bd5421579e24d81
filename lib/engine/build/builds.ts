/** Builds: what the engine offers of them. */
import type { Containers } from "../containers/containers.ts";
import { type Core, hostOf, requireHost } from "../core.ts";
import { EngineError } from "../errors.ts";
import type { Images } from "../images/images.ts";
import { nameForTag } from "../images/store/lookup.ts";
import type { Platform } from "../options.ts";
import type { GRPC } from "../ports/build_port.ts";
import type { ImageRecord } from "../records/image_record.ts";
import { randomID } from "../text/names.ts";
import type { Volumes } from "../volumes/volumes.ts";
import { BuildCache } from "./build_cache.ts";
import { applyIgnoreFile } from "./sources/build_context.ts";
import { readInputs } from "./sources/build_inputs.ts";
import type { BuildOptions, BuildProgress, NamedContext } from "./build_options.ts";
import { buildPlatforms } from "./build_platforms.ts";
import { type BuildRun, type BuildSteps, makeStep, targetPlatform } from "./build_run.ts";
import { numberEvents } from "./build_stage.ts";
import { KeptFolders } from "./folders/kept_folders.ts";
import { parseDockerfile } from "./dockerfile/parse_dockerfile.ts";
import {
  type CacheItem,
  type CacheParts,
  type CachePruneOptions,
  type CachePruneResult,
  measureCache,
  measureSteps,
  pruneCache,
} from "./cache_usage.ts";
import { exportCache } from "./shared_cache/export_cache.ts";
import { SharedCache } from "./shared_cache/shared_cache.ts";
import { finishImage } from "./finish_image.ts";
import { planStages } from "./plan_stages.ts";
import { runStages, stepCounter } from "./run_stages.ts";
import { StepContainers } from "./step_container.ts";

/** The longest a build may take, in milliseconds. */
const TIME_LIMIT = 24 * 3600 * 1000;

/** A context that was read with the main one: nobody opens it. */
const SENT_CONTEXT: NamedContext = { kind: "archive", open: () => new ReadableStream() };

/** Building images from Dockerfiles. */
export class Builds {
  readonly #core: Core;
  readonly #images: Images;
  readonly #containers: Containers;
  readonly #volumes: Volumes;
  readonly #cache: BuildCache;
  readonly #folders: KeptFolders;
  readonly #steps: StepContainers;
  readonly #closing = new AbortController();
  readonly #running = new Set<Promise<void>>();

  constructor(core: Core, images: Images, containers: Containers, volumes: Volumes) {
    this.#core = core;
    this.#images = images;
    this.#containers = containers;
    this.#volumes = volumes;
    this.#cache = new BuildCache(core, images);
    this.#folders = new KeptFolders(core, images);
    this.#steps = new StepContainers(core, containers);
  }

  /** The platform of images where nothing else is asked for. */
  get platform(): Platform {
    return this.#core.options.defaultPlatform;
  }

  /** Calls by gRPC over connections, for clients of BuildKit; `undefined` where there is no host, and nothing is built. */
  get grpc(): GRPC | undefined {
    return hostOf(this.#core)?.grpc;
  }

  /**
   * Builds an image and tells how it goes; the last thing told is `done`. Nothing happens until the first value is asked for,
   * the build waits for a reader that is slow, and ending the iteration ends it. Results of earlier builds with the
   * same inputs are taken, unless told otherwise.
   *
   * Throws `EngineError`: `invalid` for a Dockerfile that is wrong (`DockerfileError`, with the line) or a command that fails
   * (`CommandFailure`, with its code), `unsupported`, `registry`, `limit`, `cancelled`.
   *
   * @example
   * ```ts ignore
   * for await (const step of engine.builds.build({ context: tar, dockerfiles: ["Dockerfile"], names: ["app"] })) {
   *   if (step.kind === "output") console.log(step.text);
   * }
   * ```
   */
  build(options: BuildOptions): AsyncIterableIterator<BuildProgress, undefined> {
    const left = new AbortController();
    const limit = new AbortController();
    const signals = [left.signal, limit.signal, this.#closing.signal, ...options.signal ? [options.signal] : []];
    const signal = AbortSignal.any(signals);
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    const run = async function* (this: Builds): BuildSteps<undefined> {
      this.#running.add(ended);
      this.#core.clock.sleep(TIME_LIMIT, AbortSignal.any([left.signal])).then(
        () => limit.abort(new EngineError("limit", "The build took longer than a day")),
        () => {},
      );
      try {
        return yield* this.#build(options, signal);
      } catch (error) {
        if (!signal.aborted) throw error;
        const { reason } = signal;
        throw reason instanceof EngineError
          ? reason
          : new EngineError("cancelled", "Build cancelled", { cause: error });
      } finally {
        left.abort();
        this.#running.delete(ended);
        end();
      }
    };
    const steps = run.call(this);
    return {
      [Symbol.asyncIterator]() {
        return this;
      },
      next: () => steps.next(),
      return: () => {
        // A command that is silent would go on until it says something.
        left.abort(new EngineError("cancelled", "Build cancelled: the client left"));
        return steps.return(undefined);
      },
    };
  }

  /** The results of steps that are kept from earlier builds, the latest first, the folders of their cache mounts, and those of callers. */
  cacheItems(): Promise<CacheItem[]> {
    return measureCache(this.#cacheParts());
  }

  /** The results of steps alone, which are counted without a look at any file. */
  cachedSteps(): CacheItem[] {
    return measureSteps(this.#cache, this.#images);
  }

  /**
   * Forgets steps of earlier builds, and removes their images that nothing else needs, the folders of cache mounts, and what is kept of
   * callers' folders. By default what no image needs goes.
   */
  prune(options: CachePruneOptions = {}): Promise<CachePruneResult> {
    return pruneCache(this.#cacheParts(), options);
  }

  /** Removes containers of steps that the last server left, and folders that were kept too long. Called once, at start. */
  async recover(): Promise<void> {
    await this.#steps.recover();
    await this.#folders.trim();
  }

  /** Ends every build; resolves when each has cleaned up. */
  async close(): Promise<void> {
    this.#closing.abort(new EngineError("cancelled", "The engine is closing"));
    await Promise.allSettled(this.#running);
    await this.#folders.settled();
  }

  #cacheParts(): CacheParts {
    return { cache: this.#cache, images: this.#images, volumes: this.#volumes, folders: this.#folders };
  }

  async *#build(options: BuildOptions, signal: AbortSignal): BuildSteps<undefined> {
    const core = this.#core;
    requireHost(core);
    const { names: asked = [], fullName = (name) => name } = options;
    // A name that no image can have is told before the first step.
    for (const name of asked) nameForTag(fullName(name));
    const claim = this.#images.claimContent();
    using pins = new DisposableStack();
    try {
      const run = await this.#prepare(options, { signal, claim, pins });
      const runs = (options.platforms ?? []).map((platform) => this.#planned(run, { ...run.options, platform }));
      const images = runs.length > 1 ? yield* buildPlatforms(runs, buildImage) : [yield* buildImage(runs[0] ?? run)];
      if (options.manifest) { for (const image of images) await this.#addToList(options.manifest, image, options); }
      const target = images.length > 1 ? await this.#listImages(images, options) : images[0];
      const names = await this.#nameImage(target, options);
      yield { kind: "done", id: target.id, names };
      return undefined;
    } finally {
      await claim.end("delete");
    }
  }

  async #prepare(given: BuildOptions, more: Pick<BuildRun, "signal" | "claim" | "pins">): Promise<BuildRun> {
    const core = this.#core;
    const folders = this.#folders;
    const { context, named, texts, readSecret } = await readInputs({ core, folders, ...more }, given);
    const sent = [...named.keys()].map((name) => [name, SENT_CONTEXT] as const);
    const contexts = { ...given.contexts, ...Object.fromEntries(sent) };
    const options = { ...given, contexts: contexts, readSecret, ...timestampOf(given), inlineCache: isInline(given) };
    const dockerfile = parseDockerfile(texts.map(({ text }) => text).join("\n"), texts[0]?.name);
    return this.#planned({
      core,
      images: this.#images,
      containers: this.#containers,
      volumes: this.#volumes,
      cache: this.#cache,
      folders,
      steps: this.#steps,
      ...more,
      context,
      dockerfile,
      contextTrees: new Map([...named].map(([name, tree]) => [name, applyIgnoreFile(core, tree, undefined)])),
      trees: new Map(),
    }, options);
  }

  /** Plans a build: for each platform its stages are others. */
  #planned(
    inputs: Omit<BuildRun, "options" | "plan" | "stages" | "consumed" | "shared">,
    options: BuildOptions,
  ): BuildRun {
    const { dockerfile, core } = inputs;
    const { buildArgs, target, from, contexts = {} } = options;
    const platforms = platformArgs(core, options);
    const plan = planStages(dockerfile, {
      ...{ buildArgs, target, from },
      contexts: Object.keys(contexts),
      platformArgs: platforms,
    });
    const consumed = new Set([
      "SOURCE_DATE_EPOCH",
      "BUILDKIT_INLINE_CACHE",
      ...dockerfile.globals.map(({ name }) => name),
    ]);
    const shared = new SharedCache(core, this.#images, options, targetPlatform(core, options));
    return { ...inputs, options, plan, shared, stages: new Map(), consumed };
  }

  /** Makes a manifest list of the images of several platforms; without a name there is none, and the first image stands for all. */
  async #listImages(
    images: readonly Readonly<ImageRecord>[],
    { names = [], manifest, fullName = (name) => name }: BuildOptions,
  ): Promise<Readonly<ImageRecord>> {
    const { lists } = this.#images;
    if (names.length === 0) return manifest === undefined ? images[0] : lists.find(manifest);
    // Names go over to the list when it is whole.
    const passing = `localhost/gantry-build:${randomID(this.#core.random)}`;
    const id = await lists.create(passing, { images: images.map(({ id }) => id) });
    for (const name of names) await this.#images.tag(id, fullName(name));
    await this.#images.untag(id, [passing]);
    return this.#images.find(id).image;
  }

  /** Adds the image to a manifest list, which is made where there is none. */
  async #addToList(name: string, image: Readonly<ImageRecord>, { fullName = (name) => name }: BuildOptions) {
    const { lists } = this.#images;
    const full = fullName(name);
    if (!lists.exists(full)) await lists.create(full, { images: [image.id] });
    else await lists.add(full, [image.id]);
  }

  async #nameImage(image: Readonly<ImageRecord>, { names = [], fullName = (name) => name }: BuildOptions) {
    for (const name of names) await this.#images.tag(image.id, fullName(name));
    this.#core.events.emit({ type: "image", action: "build", id: image.id, name: names[0] ?? image.id });
    return names.map((name) => this.#images.find(fullName(name)).name);
  }
}

async function* buildImage(run: BuildRun): BuildSteps<Readonly<ImageRecord>> {
  const { plan, options } = run;
  const labels = Object.entries(options.labels ?? {});
  yield* runStages(run);
  let state = run.stages.get(plan.target)!;
  if (labels.length > 0) {
    const text = `LABEL ${labels.map(([name, value]) => `${name}=${JSON.stringify(value)}`).join(" ")}`;
    const config = { ...state.config, Labels: { ...state.config.Labels, ...options.labels } };
    const createdBy = `/bin/sh -c #(nop) ${text}`;
    const work = makeStep(run, state, { next: { config }, inputs: ["LABEL", config], createdBy });
    const last = plan.stages.find(({ index }) => index === plan.target)!;
    state = yield* numberEvents(stepCounter(run, last, 1 + last.instructions.length)(text), work);
  }
  const unused = Object.keys(options.buildArgs ?? {}).filter((name) => !run.consumed.has(name));
  if (unused.length > 0) {
    yield { kind: "note", text: `[Warning] One or more build-args [${unused.join(" ")}] were not consumed\n` };
  }
  const { image } = state;
  if (image === undefined) {
    throw new EngineError("invalid", "No image was generated: the stage is FROM scratch and has no instructions");
  }
  const finished = await finishImage(run, { ...state, image });
  yield* exportCache(run, state);
  return finished;
}

/** Whether the image is to be a cache of its steps: BuildKit's clients ask for it by an argument. */
function isInline({ inlineCache, buildArgs = {} }: BuildOptions): boolean {
  return inlineCache ?? (Object.hasOwn(buildArgs, "BUILDKIT_INLINE_CACHE") && buildArgs.BUILDKIT_INLINE_CACHE === "1");
}

/** The argument by which reproducible builds are told their time. */
function timestampOf({ timestamp, buildArgs = {} }: BuildOptions): Pick<BuildOptions, "timestamp"> {
  const text = Object.hasOwn(buildArgs, "SOURCE_DATE_EPOCH") ? buildArgs.SOURCE_DATE_EPOCH : "";
  return { timestamp: timestamp ?? (/^\d{1,12}$/.test(text) ? Number(text) : undefined) };
}

function platformArgs(core: Core, options: BuildOptions): Record<string, string> {
  const { defaultPlatform } = core.options;
  const target = targetPlatform(core, options);
  const entries = ([["BUILD", defaultPlatform], ["TARGET", target]] as const).flatMap(([prefix, one]) => {
    const { os, architecture, variant = "" } = one;
    const whole = [os, architecture, variant].filter((part) => part !== "").join("/");
    return [["PLATFORM", whole], ["OS", os], ["ARCH", architecture], ["VARIANT", variant]].map((
      [name, value],
    ) => [`${prefix}${name}`, value]);
  });
  return Object.fromEntries(entries);
}
