import { EngineError } from "../errors.ts";
import { DockerfileError } from "./dockerfile/dockerfile_error.ts";
import { expandVariables, type Variables } from "./dockerfile/expand_variables.ts";
import { atLine, type Dockerfile, type Stage } from "./dockerfile/parse_dockerfile.ts";

/** The source of a stage, or of files that a stage takes: another stage, a named context, an image, or nothing. */
export type StageSource = { stage: number } | { image: string } | { context: string } | { scratch: true };

/** A stage that is built. */
export interface PlannedStage extends Stage {
  base: StageSource;
  /** `os/arch[/variant]`; absent: the build's. */
  platform?: string;
  /** Every stage it needs, its base too. */
  needs: number[];
}

/** The stages that a target needs, those that are needed before those that need them. */
export interface StagePlan {
  stages: PlannedStage[];
  /** The index of the stage that is asked for. */
  target: number;
  /** Global arguments with their values. */
  globals: Variables;
}

/** Choices for {@linkcode planStages}. */
export interface PlanOptions {
  /** A stage's name or number; the last by default. */
  target?: string;
  buildArgs?: Readonly<Record<string, string>>;
  /** Names of contexts that the client sent. */
  contexts?: readonly string[];
  /** The platform's own arguments: `TARGETARCH`, … */
  platformArgs?: Readonly<Record<string, string>>;
  /** An image in place of the first stage's. */
  from?: string;
}

/**
 * Plans which stages are built. The plan leaves out stages that the target does not need: nothing of them is looked up.
 *
 * @throws {DockerfileError} if a stage is asked for that is not there, or comes later
 */
export function planStages(dockerfile: Dockerfile, options: PlanOptions = {}): StagePlan {
  const globals = readGlobals(dockerfile, options);
  const target = findTarget(dockerfile, options.target);
  const planned = new Map<number, PlannedStage>();
  const add = (index: number): void => {
    if (planned.has(index)) return;
    const stage = planStage(dockerfile, dockerfile.stages[index], globals, options);
    for (const need of stage.needs) add(need);
    planned.set(index, stage);
  };
  add(target);
  return { stages: [...planned.values()], target, globals };
}

/** Resolves the name in `--from` of a copy or a mount, seen from a stage: stages before it come first, then contexts, then images. */
export function resolveSource(
  { stages }: Dockerfile,
  name: string,
  { before, contexts = [] }: { before: number; contexts?: readonly string[] },
): StageSource {
  const lower = name.toLowerCase();
  if (contexts.includes(name)) return { context: name };
  const named = stages.find((stage) => stage.index < before && stage.from.name === lower);
  if (named) return { stage: named.index };
  if (/^[0-9]+$/.test(name) && Number(name) < before) return { stage: Number(name) };
  if (lower === "scratch") return { scratch: true };
  return { image: name };
}

function planStage(dockerfile: Dockerfile, stage: Stage, globals: Variables, options: PlanOptions): PlannedStage {
  const { contexts } = options;
  const { from, index } = stage;
  const fail = failIn(dockerfile);
  const expand = (text: string) => atLine(fail, from.line, () => expandVariables(text, globals, dockerfile.directives));
  const image = index === 0 && options.from ? options.from : expand(from.image);
  if (image === "") {
    const hint = "an ARG before the first FROM may give its variable a value";
    throw fail(`base name (${from.image}) should not be blank: ${hint}`, from.line);
  }
  const platform = from.platform === undefined ? undefined : expand(from.platform);
  // A number is no stage here: FROM takes names only.
  const base = /^[0-9]+$/.test(image) ? { image } : resolveSource(dockerfile, image, { before: index, contexts });
  const needs = "stage" in base ? [base.stage] : [];
  for (const instruction of stage.instructions) {
    const names = instruction.is === "COPY"
      ? [instruction.from]
      : instruction.is === "RUN"
      ? instruction.mounts.map((mount) => mount.from)
      : [];
    for (const name of names) {
      if (name === undefined || name.includes("$")) continue;
      if (/^[0-9]+$/.test(name) && Number(name) >= index && !contexts?.includes(name)) {
        throw fail(`invalid from flag value ${name}: only stages before this one can be named`, instruction.line);
      }
      if (name.toLowerCase() === from.name) {
        throw fail(`circular dependency detected on stage: ${from.name}`, instruction.line);
      }
      const source = resolveSource(dockerfile, name, { before: index, contexts });
      if ("stage" in source) needs.push(source.stage);
    }
  }
  return { ...stage, base, ...platform && { platform }, needs: [...new Set(needs)] };
}

function findTarget({ stages }: Dockerfile, target = ""): number {
  if (target === "") return stages.length - 1;
  const named = stages.find(({ from }) => from.name === target.toLowerCase());
  if (named) return named.index;
  if (/^[0-9]+$/.test(target) && Number(target) < stages.length) return Number(target);
  const names = stages.flatMap(({ from }) => from.name ?? []);
  const known = names.length === 0 ? "no stage has a name" : `the stages are ${names.join(", ")}`;
  throw new EngineError("invalid", `target stage "${target}" could not be found: ${known}`);
}

function readGlobals(dockerfile: Dockerfile, { buildArgs = {}, platformArgs = {} }: PlanOptions): Variables {
  const values = new Map(Object.entries(platformArgs));
  for (const { name, value, line } of dockerfile.globals) {
    const given = buildArgs[name];
    const own = value === undefined
      ? undefined
      : atLine(failIn(dockerfile), line, () => expandVariables(value, values, dockerfile.directives));
    const chosen = given ?? own;
    if (chosen !== undefined) values.set(name, chosen);
  }
  return values;
}

function failIn({ file }: Dockerfile): (why: string, line: number) => Error {
  return (why, line) => new DockerfileError(why, { file, line });
}
