import type { ContainerRequest } from "../containers/request/container_request.ts";
import { EngineError } from "../errors.ts";
import type { ImageRecord } from "../records/image_record.ts";
import type { MountRequest } from "../records/mount_spec.ts";
import { type BuildRun, type BuildSteps, type CommitStep, makeStep, requireImage } from "./build_run.ts";
import type { RunInstruction, RunMount } from "./dockerfile/instructions.ts";
import { resolveSource } from "./plan_stages.ts";
import { findSourceImage } from "./source_image.ts";
import { commandWords, environmentOf, type Expand, joinWorkdir } from "./stage_config.ts";
import type { StageState } from "./stage_state.ts";

/** Arguments that a command gets without an `ARG`, and that are no part of its key: proxies differ by machine. */
const PROXY_ARGS = ["HTTP_PROXY", "HTTPS_PROXY", "FTP_PROXY", "NO_PROXY", "ALL_PROXY"];

/** Everything of a command that is settled before it runs. */
interface RunPlan {
  words: string[];
  env: Record<string, string>;
  mounts: MountRequest[];
  /** Caches that one build at a time may use. */
  locks: string[];
  network: RunInstruction["network"];
}

/** Runs a command in a container over the stage's files: what it changes is a layer. */
export async function* runCommand(
  run: BuildRun,
  state: StageState,
  instruction: RunInstruction,
  { stage, expand }: { stage: number; expand: Expand },
): BuildSteps<StageState> {
  const words = wordsOf(state, instruction);
  const { network } = instruction;
  const { mounts, locks, inputs } = yield* chooseMounts(run, state, instruction.mounts, { stage, expand });
  const declared = Object.fromEntries(state.args);
  const env = { ...proxyArgs(run), ...declared, ...Object.fromEntries(environmentOf(state.config)) };
  const plan: RunPlan = { words, env, mounts, locks, network };
  return yield* makeStep(run, state, {
    next: {},
    inputs: ["RUN", words, declared, network, inputs],
    createdBy: words.join(" "),
    work: (commit) => workInContainer(run, state, plan, commit),
  });
}

/** The words to run: of a heredoc that stands alone, its content is the shell's command; else the shell reads it itself. */
function wordsOf({ config }: StageState, { command }: RunInstruction): string[] {
  if (command.form === "exec" || command.heredocs.length === 0) return commandWords(config, command);
  const [first] = command.heredocs;
  const isAlone = command.heredocs.length === 1 && /^<<\S+$/.test(command.text);
  if (isAlone && first.content.startsWith("#!")) {
    const hint = "name the program before it: RUN python3 <<EOF";
    throw new EngineError("unsupported", `a heredoc that begins with "#!" is not supported: ${hint}`);
  }
  const text = isAlone
    ? first.content
    : [command.text, ...command.heredocs.map(({ content, name }) => `${content}${name}`)].join("\n");
  return commandWords(config, { form: "shell", text, heredocs: [] });
}

async function* workInContainer(
  run: BuildRun,
  state: StageState,
  plan: RunPlan,
  commit: CommitStep,
): BuildSteps<ImageRecord> {
  const { containers, steps, signal, options } = run;
  const image = requireImage(state, "RUN");
  await using locks = new AsyncDisposableStack();
  for (const name of plan.locks) {
    const { promise, resolve } = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    const done = run.core.locks.with(name, () => (held.resolve(), promise), signal).catch(held.reject);
    locks.defer(() => (resolve(), done));
    await held.promise;
  }
  await using container = await steps.create(requestOf(run, state, image, plan));
  const { id } = container;
  if (options.removes === false) container.keep();
  yield { kind: "running", container: id };
  const attachment = await containers.attach(id, { stdin: false, stdout: true, stderr: true });
  const stop = () => void containers.kill(id).catch(() => {});
  signal.addEventListener("abort", stop);
  try {
    const exit = containers.wait(id, [], { signal });
    exit.catch(() => {});
    await containers.start(id);
    const decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() };
    for await (const { stream, data } of attachment.output) {
      const text = decoders[stream].decode(data, { stream: true });
      if (text !== "") yield { kind: "output", text };
    }
    const code = await exit;
    signal.throwIfAborted();
    if (code !== 0) {
      if (!(options.alwaysRemoves ?? options.removes ?? true)) container.keep();
      throw new CommandFailure(plan.words, code);
    }
    return await commit(await containers.files.changeset(id));
  } finally {
    signal.removeEventListener("abort", stop);
    attachment.close();
  }
}

/** A command of a build that ended with another code than 0. */
export class CommandFailure extends EngineError {
  readonly exitCode: number;

  constructor(words: readonly string[], exitCode: number) {
    super("invalid", `The command '${words.join(" ")}' returned a non-zero code: ${exitCode}`);
    this.name = "CommandFailure";
    this.exitCode = exitCode;
  }
}

function requestOf(run: BuildRun, { config }: StageState, image: ImageRecord, plan: RunPlan): ContainerRequest {
  const { network, ...sandbox } = run.options.sandbox ?? {};
  if (plan.network === "host" && network?.mode !== "host") {
    throw new EngineError(
      "invalid",
      "RUN --network=host is not allowed: the build itself is not in the host's network",
    );
  }
  const mode = plan.network === "none" ? { mode: "none" as const } : network;
  return {
    ...sandbox,
    ...plan.network === "none" && { networks: {} },
    image: image.id,
    entrypoint: [""],
    command: plan.words,
    env: plan.env,
    unsetEnv: true,
    workdir: config.WorkingDir ?? "/",
    createWorkdir: true,
    user: config.User ?? "0",
    imageVolumes: "ignore",
    mounts: plan.mounts,
    logDriver: "none",
    health: { check: { test: ["NONE"] } },
    volatile: true,
    ...mode && { namespaces: { network: mode } },
  };
}

function proxyArgs({ options: { buildArgs = {} }, consumed }: BuildRun): Record<string, string> {
  const given = Object.entries(buildArgs).filter(([name]) => PROXY_ARGS.includes(name.toUpperCase()));
  for (const [name] of given) consumed.add(name);
  return Object.fromEntries(given);
}

async function* chooseMounts(
  run: BuildRun,
  state: StageState,
  mounts: readonly RunMount[],
  { stage, expand }: { stage: number; expand: Expand },
): BuildSteps<Pick<RunPlan, "mounts" | "locks"> & { inputs: unknown[] }> {
  const chosen: MountRequest[] = [];
  const locks: string[] = [];
  const inputs: unknown[] = [];
  for (const mount of mounts) {
    const destination = joinWorkdir(state.config, expand(mount.target));
    const { type, readOnly } = mount;
    if (type === "secret" || type === "ssh") {
      // Nothing brings them yet; a command that can do without goes on without.
      if (mount.required) {
        throw new EngineError("unsupported", `RUN --mount=type=${type} is not supported: none is passed to builds`);
      }
    } else if (type === "tmpfs") {
      const options = mount.size === undefined ? [] : [`size=${mount.size}`];
      chosen.push({ type, source: "tmpfs", destination, options });
    } else if (type === "cache") {
      if (mount.from !== undefined) {
        throw new EngineError("unsupported", "RUN --mount=type=cache,from= is not supported");
      }
      const key = await run.cache.keyOf("cache", expand(mount.id ?? destination));
      const source = `build-cache-${key.slice("sha256:".length, "sha256:".length + 16)}`;
      if (mount.sharing !== undefined && mount.sharing !== "shared") locks.push(source);
      chosen.push({ type: "volume", source, destination, options: readOnly ? ["ro"] : [] });
    } else {
      if (mount.from === undefined) {
        throw new EngineError(
          "unsupported",
          "RUN --mount=type=bind of the context is not supported: COPY the files, or name a stage with from=",
        );
      }
      const from = resolveSource(run.dockerfile, expand(mount.from), { before: stage });
      const { image, key } = yield* findSourceImage(run, from);
      const subPath = expand(mount.source ?? "").replace(/^\/+|\/+$/g, "");
      if (subPath.split("/").includes("..")) {
        throw new EngineError("invalid", `the source "${mount.source}" of a mount leads out`);
      }
      inputs.push([key, subPath]);
      // Writes are thrown away: an image's files are mounted for this container alone.
      const options = readOnly ? ["ro"] : ["rw"];
      chosen.push({ type: "image", source: image.id, destination, options, ...subPath && { subPath } });
    }
    inputs.push([type, destination, readOnly]);
  }
  return { mounts: chosen, locks, inputs };
}
