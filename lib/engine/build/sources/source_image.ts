import { EngineError } from "../../errors.ts";
import type { Platform } from "../../options.ts";
import { messageOf } from "../../../oci/message_of.ts";
import type { ImageRecord } from "../../records/image_record.ts";
import { spoolTree } from "./build_context.ts";
import { type BuildRun, type BuildSteps, targetPlatform } from "../build_run.ts";
import type { FileTree } from "../context/file_tree.ts";
import { selectFiles, type Selection, type SelectOptions, sourcePlaces } from "../context/select_files.ts";
import { contextNamed, readContext } from "./named_context.ts";
import { resolveSource, type StageSource } from "../plan_stages.ts";

/** An image that a build takes files of, with the digest of everything that went into it. */
export interface SourceImage {
  image: Readonly<ImageRecord>;
  key: string;
}

/** The files of a context. */
export interface SourceTree {
  tree: FileTree;
}

/** The source that a name in `from=` means, seen from a stage. */
export function sourceNamed({ dockerfile, options }: BuildRun, name: string, stage: number): StageSource {
  return resolveSource(dockerfile, name, { before: stage, contexts: Object.keys(options.contexts ?? {}) });
}

/** Finds, or fetches, what a stage takes files of. */
export async function* findSource(run: BuildRun, source: StageSource): BuildSteps<SourceImage | SourceTree> {
  if ("image" in source) {
    const image = yield* pullSource(run, source.image);
    return { image, key: image.id };
  }
  if ("stage" in source) {
    const built = run.stages.get(source.stage);
    if (built === undefined) {
      // The plan reads names as they are written, before any variable has a value.
      throw new EngineError("invalid", `stage ${source.stage} is named by a variable: from= takes the name itself`);
    }
    if (built.image) return { image: built.image, key: built.key };
    throw new EngineError(
      "invalid",
      `stage ${source.stage} has no files: it is FROM scratch, and nothing is done in it`,
    );
  }
  if ("scratch" in source) throw new EngineError("invalid", "scratch has no files to take");
  const context = contextNamed(run, source.context);
  if (context.kind !== "image") return { tree: await readContext(run, source.context, context) };
  const image = yield* pullSource(run, context.name);
  return { image, key: image.id };
}

/** Pulls an image as the build's policy says. */
export async function* pullSource(
  run: BuildRun,
  name: string,
  platform?: string,
): BuildSteps<Readonly<ImageRecord>> {
  const { images, options, pins, signal } = run;
  const { pull = "missing", findName = sameName, fullName = sameName } = options;
  const asked = platform === undefined ? options.platform : parsePlatform(platform);
  const isID = /^(?:sha256:)?[0-9a-f]{12,64}$/.test(name) && images.exists(name);
  const stored = isID ? name : findName(name);
  const known = images.exists(stored) ? findFitting(run, stored, asked) : undefined;
  const { os, architecture } = { ...targetPlatform(run.core, options), ...asked };
  const fits = (image: Readonly<ImageRecord>) => {
    return asked?.architecture === undefined || (image.config.architecture === architecture && image.config.os === os);
  };
  if (!isID && (pull !== "missing" || known === undefined || !fits(known))) {
    // Under that name there may be another platform's image.
    const policy = pull === "missing" && known !== undefined ? "always" : pull;
    const progress = images.pull(fullName(name), { ...options.registry, policy, platform: asked, signal });
    try {
      for await (const value of progress) if (value.kind === "status") yield { kind: "note", text: `${value.text}\n` };
    } catch (cause) {
      if (known === undefined || fits(known)) throw cause;
      const { config } = known;
      const why = `${name} is here for ${config.os}/${config.architecture} and not for ${os}/${architecture}`;
      throw new EngineError("unsupported", `${why}, and it cannot be pulled: ${messageOf(cause)}`, { cause });
    }
  }
  const image = findFitting(run, stored, asked);
  if (!fits(image)) {
    const { config } = image;
    throw new EngineError(
      "unsupported",
      `${name} is here for ${config.os}/${config.architecture} and not for ${os}/${architecture}`,
    );
  }
  pins.use(images.pin(image.id));
  return image;
}

/** The image of a name; of a manifest list that of the platform. */
function findFitting(
  { core, images, options }: BuildRun,
  name: string,
  asked: Partial<Platform> | undefined,
): Readonly<ImageRecord> {
  return images.resolve(name, { ...targetPlatform(core, options), ...asked });
}

/**
 * Reads the tree of an image that is copied from, or the parts of it that paths lead to; once for each build.
 *
 * @param paths Below the root; the root itself is an empty one
 */
function readSourceTree(
  run: BuildRun,
  image: Readonly<ImageRecord>,
  paths: readonly string[] = [""],
): Promise<FileTree> {
  const parts = paths.includes("") ? undefined : paths;
  const key = JSON.stringify([image.id, parts]);
  const known = run.trees.get(key);
  if (known) return known;
  const reading = readImageTree(run, image, parts);
  reading.catch(() => {});
  run.trees.set(key, reading);
  return reading;
}

/** Selects files of an image: where they cannot be had of the places that the sources name, of its whole tree. */
export async function selectOfImage(
  run: BuildRun,
  image: Readonly<ImageRecord>,
  sources: readonly string[],
  options: SelectOptions,
): Promise<Selection> {
  const part = await readSourceTree(run, image, sourcePlaces(sources, options.keyword));
  try {
    return selectFiles(part, sources, options);
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    // A pattern may fit links that lead elsewhere. Where nothing is there either, this says so.
    return selectFiles(await readSourceTree(run, image), sources, options);
  }
}

async function readImageTree(
  run: BuildRun,
  image: Readonly<ImageRecord>,
  paths: readonly string[] | undefined,
): Promise<FileTree> {
  await using container = await run.steps.create({
    image: image.id,
    entrypoint: [""],
    command: ["true"],
    imageVolumes: "ignore",
    namespaces: { network: { mode: "none" } },
    logDriver: "none",
    health: { check: { test: ["NONE"] } },
    volatile: true,
  });
  const { files } = run.containers;
  const archive = await (paths === undefined ? files.export(container.id) : files.pick(container.id, paths));
  return await spoolTree(run.core, run.claim, archive, run.signal);
}

/** Reads `os/arch[/variant]`. Throws `EngineError("invalid")`. */
export function parsePlatform(text: string): Partial<Platform> {
  const [os, architecture, variant, ...more] = text.split("/");
  const isWord = (word: string | undefined) => word === undefined || /^[A-Za-z0-9_-]+$/.test(word);
  if (more.length > 0 || ![os, architecture, variant].every(isWord)) {
    throw new EngineError(
      "invalid",
      `"${text}" is an invalid component of a platform: it is os/arch or os/arch/variant`,
    );
  }
  if (architecture !== undefined) return { os, architecture, ...variant && { variant } };
  // A word alone may be either.
  if (SYSTEMS.has(os)) return { os };
  if (ARCHITECTURES.has(os)) return { architecture: os };
  throw new EngineError("invalid", `"${text}": unknown operating system or architecture`);
}

/** Names of Go's (`go tool dist list`), those that images are made for. */
const SYSTEMS = new Set("linux windows darwin freebsd netbsd openbsd solaris wasip1".split(" "));
const ARCHITECTURES = new Set("386 amd64 arm arm64 loong64 mips64le ppc64le riscv64 s390x wasm".split(" "));

function sameName(name: string): string {
  return name;
}
