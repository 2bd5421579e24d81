import type { ContainerRequest } from "../containers/request/container_request.ts";
import { EngineError } from "../errors.ts";
import type { ContainerSecrets } from "../ports/host_port.ts";
import { messageOf } from "../../oci/message_of.ts";
import type { ImageRecord } from "../records/image_record.ts";
import { type BuildRun, type BuildSteps, type CommitStep, makeStep, requireImage, stepLayer } from "./build_run.ts";
import type { RunInstruction } from "./dockerfile/instructions.ts";
import { type CommandMounts, type OpenMounts, openMounts, planMounts } from "./run_mounts.ts";
import { commandWords, environmentOf, type Expand } from "./stage_config.ts";
import type { StageState } from "./stage_state.ts";

/** Arguments that a command gets without an `ARG`, and that are no part of its key: proxies differ by machine. */
const PROXY_ARGS = ["HTTP_PROXY", "HTTPS_PROXY", "FTP_PROXY", "NO_PROXY", "ALL_PROXY"];

/** Places that the runtime and the engine make in every container: a layer has none that was made for that. */
const USUAL_PLACES = [
  ..."/proc /sys /dev /etc/hosts /etc/hostname /etc/resolv.conf /etc/mtab /run/.containerenv".split(" "),
  "/run/secrets",
];
/** The folder of a script from a heredoc with `#!`: in memory, so that no layer has it. */
const SCRIPT_FOLDER = "/dev/pipes";

/** Everything of a command that is settled before it runs. */
interface RunPlan {
  words: string[];
  /** The heredoc that the words run. */
  script?: { path: string; content: string };
  env: Record<string, string>;
  mounts: CommandMounts;
  network: RunInstruction["network"];
  isInsecure: boolean;
  /** The instruction as it stands in the Dockerfile. */
  text: string;
}

/** Runs a command in a container over the stage's files: what it changes is a layer. */
export async function* runCommand(
  run: BuildRun,
  state: StageState,
  instruction: RunInstruction & { text: string },
  { stage, expand }: { stage: number; expand: Expand },
): BuildSteps<StageState> {
  const { words, script } = wordsOf(state, instruction);
  const { network, isInsecure } = instruction;
  if (isInsecure && !run.options.allowInsecure) {
    throw new EngineError(
      "invalid",
      "RUN --security=insecure is not allowed: the build has no entitlement security.insecure",
    );
  }
  const mounts = yield* planMounts(run, state, instruction, { stage, expand });
  const declared = Object.fromEntries(state.args);
  const env = { ...proxyArgs(run), ...declared, ...Object.fromEntries(environmentOf(state.config)) };
  const plan: RunPlan = { words, script, env, mounts, network, isInsecure, text: instruction.text };
  return yield* makeStep(run, state, {
    next: {},
    inputs: ["RUN", words, script, declared, network, isInsecure, mounts.inputs],
    createdBy: script === undefined ? words.join(" ") : instruction.text,
    work: (commit) => workInContainer(run, state, plan, commit),
  });
}

/** The words to run: of a heredoc that stands alone, its content is the shell's command; else the shell reads it itself. */
function wordsOf({ config }: StageState, { command }: RunInstruction): Pick<RunPlan, "words" | "script"> {
  if (command.form === "exec" || command.heredocs.length === 0) return { words: commandWords(config, command) };
  const [first] = command.heredocs;
  const isAlone = command.heredocs.length === 1 && /^<<\S+$/.test(command.text);
  // As the kernel reads it: the program, and what follows in one piece.
  const [, program, argument] = /^#![ \t]*([^\s]+)[ \t]*([^\n]*?)[ \t\r]*\n/.exec(first.content) ?? [];
  if (isAlone && program !== undefined) {
    const path = `${SCRIPT_FOLDER}/${first.name}`;
    return { words: [program, ...argument ? [argument] : [], path], script: { path, content: first.content } };
  }
  const text = isAlone
    ? first.content
    : [command.text, ...command.heredocs.map(({ content, name }) => `${content}${name}`)].join("\n");
  return { words: commandWords(config, { form: "shell", text, heredocs: [] }) };
}

async function* workInContainer(
  run: BuildRun,
  state: StageState,
  plan: RunPlan,
  commit: CommitStep,
): BuildSteps<ImageRecord> {
  const { containers, steps, signal, options } = run;
  const image = requireImage(state, "RUN");
  await using stack = new AsyncDisposableStack();
  for (const name of plan.mounts.locks) {
    const { promise, resolve } = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    const done = run.core.locks.with(name, () => (held.resolve(), promise), signal).catch(held.reject);
    stack.defer(() => (resolve(), done));
    await held.promise;
  }
  const open = await openMounts(run, plan.mounts, stack);
  await using container = await steps.create(requestOf(run, state, image, plan, open));
  const { id } = container;
  using _lent = containers.lendSecrets(id, lentTo(plan, open));
  if (options.removes === false) container.keep();
  yield { kind: "running", container: id };
  const attachment = await containers.attach(id, { stdin: false, stdout: true, stderr: true });
  const stop = () => void containers.kill(id).catch(() => {});
  signal.addEventListener("abort", stop);
  try {
    const exit = containers.wait(id, [], { signal });
    exit.catch(() => {});
    const foreign = foreignCommand(run, image);
    let isUnfit = false;
    await containers.start(id).catch((error) => {
      throw foreign !== undefined && UNFIT.test(messageOf(error)) ? foreign : error;
    });
    // A signal that came while it started found nothing to kill.
    if (signal.aborted) stop();
    const decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() };
    for await (const { stream, data } of attachment.output) {
      const text = decoders[stream].decode(data, { stream: true });
      isUnfit ||= UNFIT.test(text);
      if (text !== "") yield { kind: "output", text };
    }
    const code = await exit;
    signal.throwIfAborted();
    if (code !== 0 && isUnfit && foreign !== undefined) throw foreign;
    if (code !== 0) {
      if (!(options.alwaysRemoves ?? options.removes ?? true)) container.keep();
      throw new CommandFailure(plan, code);
    }
    return await commit(await stepLayer(run, container, [...USUAL_PLACES, ...open.places]));
  } finally {
    signal.removeEventListener("abort", stop);
    attachment.close();
  }
}

/** The kernel's words on a program of another architecture: of the runtime, or of the shell. */
const UNFIT = /exec format error/i;

/** The failure of a command that needs an emulator; `undefined` for one of this machine's architecture. */
function foreignCommand({ core }: BuildRun, { config: { os, architecture } }: ImageRecord): EngineError | undefined {
  const own = core.options.defaultPlatform.architecture;
  if (architecture === own) return undefined;
  const advice = "install an emulator for it (Debian: qemu-user-static and binfmt-support), or build without RUN";
  return new EngineError(
    "unsupported",
    `RUN for ${os}/${architecture}: this machine is ${own}, and runs no programs of ${architecture}: ${advice}`,
  );
}

/** A command of a build that ended with another code than 0. */
export class CommandFailure extends EngineError {
  readonly exitCode: number;
  /** The command, with the shell that runs it. */
  readonly command: string;
  /** The instruction as it stands in the Dockerfile: `RUN exit 7`. */
  readonly instruction: string;

  constructor({ words, text }: Pick<RunPlan, "words" | "text">, exitCode: number) {
    const command = words.join(" ");
    super("invalid", `The command '${command}' returned a non-zero code: ${exitCode}`);
    this.name = "CommandFailure";
    this.exitCode = exitCode;
    this.command = command;
    this.instruction = text;
  }
}

/** The command's secrets, and its script. */
function lentTo({ script, env }: RunPlan, { lent }: OpenMounts): ContainerSecrets {
  const scripts = script === undefined ? [] : [{
    path: script.path,
    uid: 0,
    gid: 0,
    mode: 0o755,
    data: new TextEncoder().encode(script.content),
  }];
  // A variable of the image's goes before the socket's, as BuildKit has it.
  const { SSH_AUTH_SOCK, ...others } = lent.env;
  const socket: Record<string, string> = SSH_AUTH_SOCK && !("SSH_AUTH_SOCK" in env) ? { SSH_AUTH_SOCK } : {};
  return { files: [...lent.files, ...scripts], env: { ...others, ...socket } };
}

function requestOf(
  run: BuildRun,
  { config }: StageState,
  image: ImageRecord,
  plan: RunPlan,
  open: OpenMounts,
): ContainerRequest {
  const { network, namespaces, ...sandbox } = run.options.sandbox ?? {};
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
    mounts: [...sandbox.mounts ?? [], ...open.mounts],
    ...plan.isInsecure && { privileged: true },
    logDriver: "none",
    health: { check: { test: ["NONE"] } },
    volatile: true,
    namespaces: { ...namespaces, ...mode && { network: mode } },
  };
}

function proxyArgs({ options: { buildArgs = {} }, consumed }: BuildRun): Record<string, string> {
  const given = Object.entries(buildArgs).filter(([name]) => PROXY_ARGS.includes(name.toUpperCase()));
  for (const [name] of given) consumed.add(name);
  return Object.fromEntries(given);
}
