import { EngineError } from "../errors.ts";
import type { StepEvent } from "./build_options.ts";
import { type BuildRun, type BuildSteps, fileTimes, makeStep, targetPlatform } from "./build_run.ts";
import { copyArchive, digestItems } from "./context/copy_archive.ts";
import type { FileTree } from "./context/file_tree.ts";
import { walkFolder } from "./context/select_files.ts";
import { copyFiles, makeFolder } from "./copy_step.ts";
import { DockerfileError } from "./dockerfile/dockerfile_error.ts";
import { expandVariables } from "./dockerfile/expand_variables.ts";
import type { Instruction, PlainInstruction } from "./dockerfile/instructions.ts";
import { parseInstruction } from "./dockerfile/parse_instruction.ts";
import { splitInstruction } from "./dockerfile/read_instructions.ts";
import type { PlannedStage } from "./plan_stages.ts";
import { runCommand } from "./run_step.ts";
import { findSource, pullSource } from "./sources/source_image.ts";
import { beginConfig, changeConfig, environmentOf, type Expand } from "./stage_config.ts";
import type { StageState } from "./stage_state.ts";

/** Builds one stage, each instruction upon the image of the one before. `count` numbers the steps of the whole build. */
export async function* buildStage(
  run: BuildRun,
  stage: PlannedStage,
  count: (text: string) => StepEvent,
): BuildSteps<StageState> {
  const first = count(stage.from.text);
  let state = yield* numberEvents(first, inPlace(run, stage.from, beginStage(run, stage)));
  for (const trigger of triggersOf(run, state, stage)) {
    yield { kind: "note", text: `ONBUILD ${trigger.text}\n`, step: first.number };
    state = yield* withStep(first.number, inPlace(run, trigger, buildStep(run, state, stage, trigger)));
  }
  for (const instruction of stage.instructions) {
    const work = inPlace(run, instruction, buildStep(run, state, stage, instruction));
    state = yield* numberEvents(count(instruction.text), work);
  }
  return state;
}

/** Tells of a step, and gives its number to everything that its work tells. */
export async function* numberEvents<T>(first: StepEvent, work: BuildSteps<T>): BuildSteps<T> {
  yield { ...first, step: first.number };
  return yield* withStep(first.number, work);
}

/** Gives everything that work tells the number of its step. */
async function* withStep<T>(step: number, work: BuildSteps<T>): BuildSteps<T> {
  try {
    for (;;) {
      const next = await work.next();
      if (next.done) return next.value;
      yield { ...next.value, step };
    }
  } finally {
    // A reader that leaves ends the work; after its end this does nothing. Nobody sees the value.
    await work.return(undefined as never);
  }
}

/** The state of a stage before its first instruction. */
async function* beginStage(run: BuildRun, { base, platform }: PlannedStage): BuildSteps<StageState> {
  const args = new Map<string, string>();
  if ("scratch" in base) {
    return await beginEmpty(run);
  }
  if ("stage" in base) {
    const below = run.stages.get(base.stage);
    if (below === undefined) {
      throw new EngineError("internal", `Build: stage ${base.stage} is needed before it is built`);
    }
    return { ...below, args };
  }
  const source = "context" in base ? yield* findSource(run, base) : undefined;
  if (source !== undefined && "tree" in source) return yield* beginWithTree(run, source.tree);
  const image = "image" in base ? yield* pullSource(run, base.image, platform) : source!.image;
  const key = await run.cache.keyOf("image", image.id, ...keyOptions(run));
  const { config = {}, author } = image.config;
  return { image, config: beginConfig(config, run.options), key, steps: [], args, ...author && { author } };
}

/** A stage without files. */
async function beginEmpty(run: BuildRun): Promise<StageState> {
  const { core, cache, options } = run;
  const key = await cache.keyOf("scratch", targetPlatform(core, options), ...keyOptions(run));
  return { config: beginConfig({}, options), key, steps: [], args: new Map() };
}

/** The options that every step's image depends on. */
function keyOptions({ options }: BuildRun): unknown[] {
  const { format = "oci", timestamp = -1, rewriteTimes, env = {}, dropLabels = [] } = options;
  const changed = Object.keys(env).length > 0 || dropLabels === true || dropLabels.length > 0;
  return [format, timestamp, ...rewriteTimes ? [rewriteTimes] : [], ...changed ? [env, dropLabels] : []];
}

/** A stage whose files are those of a context. */
async function* beginWithTree(run: BuildRun, tree: FileTree): BuildSteps<StageState> {
  const { blobs, codec } = run.core.ports;
  const items = [...walkFolder(tree.root, "")].map(([path, node]) => ({ path, node }));
  return yield* makeStep(run, await beginEmpty(run), {
    next: {},
    inputs: ["FROM", await digestItems(codec, items)],
    createdBy: "FROM a build context",
    async *work(commit) {
      return await commit({ tar: copyArchive(blobs, items, { times: fileTimes(run) }) });
    },
  });
}

/** The instructions that the stage's image has for those who build upon it. */
function triggersOf(run: BuildRun, { image }: StageState, { base, from }: PlannedStage): Instruction[] {
  const triggers = "stage" in base || image === undefined ? [] : image.config.config?.OnBuild ?? [];
  return triggers.map((text) => {
    const [first, ...lines] = text.split("\n");
    const raw = splitInstruction(first, "\\", from.line);
    const [, name] = /<<-?["']?([^\s"'<]+)/.exec(first) ?? [];
    const end = lines.lastIndexOf(name ?? "");
    const content = lines.slice(0, end).map((line) => `${line}\n`).join("");
    const heredocs = end < 0 ? [] : [{ name: name!, content, expands: !/<<-?["']/.test(first) }];
    return parseInstruction({ ...raw, heredocs }, run.dockerfile.directives.escape);
  });
}

async function* buildStep(
  run: BuildRun,
  state: StageState,
  { index: stage }: PlannedStage,
  instruction: Instruction,
): BuildSteps<StageState> {
  const { escape } = run.dockerfile.directives;
  const variables = new Map([...state.args, ...environmentOf(state.config)]);
  const expand: Expand = (word, raw = false) => expandVariables(word, variables, { escape, raw });
  switch (instruction.is) {
    case "RUN":
      return yield* runCommand(run, state, instruction, { stage, expand });
    case "COPY":
    case "ADD":
      return yield* copyFiles(run, state, instruction, { stage, expand });
    case "FROM":
      throw new EngineError("internal", "Build: a stage has a FROM inside");
    default:
      return yield* changeStage(run, state, instruction, expand);
  }
}

/** An instruction that changes how the image is run, and at most makes a folder. */
async function* changeStage(
  run: BuildRun,
  state: StageState,
  instruction: PlainInstruction & { text: string },
  expand: Expand,
): BuildSteps<StageState> {
  const config = changeConfig(state.config, instruction, expand);
  const author = instruction.is === "MAINTAINER" ? expand(instruction.value) : state.author;
  const args = instruction.is === "ARG" ? declareArgs(run, state, instruction, expand) : state.args;
  const { WorkingDir: folder } = config;
  return yield* makeStep(run, state, {
    next: { config, args, ...author !== undefined && { author } },
    // Values of arguments count where they are used.
    inputs: [instruction.is, instruction.is === "ARG" ? instruction.arguments : config, author],
    createdBy: `/bin/sh -c #(nop) ${instruction.text}`,
    ...instruction.is === "WORKDIR" && folder !== undefined && folder !== "/" && {
      work: (commit) => makeFolder(run, state, folder, commit),
    },
  });
}

/** The stage's arguments with those that an `ARG` declares: the caller's value goes before the instruction's own. */
function declareArgs(
  { options: { buildArgs = {} }, plan, consumed }: BuildRun,
  { args }: StageState,
  instruction: PlainInstruction & { is: "ARG" },
  expand: Expand,
): StageState["args"] {
  const declared = new Map(args);
  for (const argument of instruction.arguments) {
    const name = expand(argument.name);
    const own = argument.value === undefined ? plan.globals.get(name) : expand(argument.value);
    const given = Object.hasOwn(buildArgs, name) ? buildArgs[name] : undefined;
    if (given !== undefined) consumed.add(name);
    const value = given ?? own;
    if (value !== undefined) declared.set(name, value);
  }
  return declared;
}

/** Adds the place in the Dockerfile to errors that the instruction's own words raise. */
async function* inPlace<T>(
  { dockerfile: { file } }: BuildRun,
  { line }: Pick<Instruction, "line">,
  work: BuildSteps<T>,
): BuildSteps<T> {
  try {
    return yield* work;
  } catch (error) {
    const isOwn = error instanceof EngineError && error.message.startsWith('failed to process "');
    throw isOwn || error instanceof SyntaxError ? new DockerfileError(error.message, { file, line }) : error;
  }
}
