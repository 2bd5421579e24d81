/**
 * Writes the unit of a container.
 *
 * @module
 */
import { EngineError } from "../errors.ts";
import { type CommandFlags, flagSet, readFlags } from "./command_flags.ts";
import { dropFlags, dropWords, escapeWord, PROGRAM, wrapWords } from "./unit_command.ts";
import {
  dependencyLines,
  headerLines,
  INSTALL_LINES,
  restartValue,
  stopLimits,
  type UnitOptions,
  type UnitPlace,
} from "./unit_options.ts";

/** A container as its unit needs it. */
export interface UnitContainer {
  id: string;
  /** Its name, or its ID where services go by IDs. */
  nameOrID: string;
  /** The service's name, without `.service`. */
  service: string;
  /** The command that made it; empty where it came by the API. */
  createCommand: readonly string[];
  /** The file with the process ID of its supervisor. */
  conmonPidFile: string;
  /** Its environment, `NAME=value`. */
  env: readonly string[];
  /** Services that it lives and ends with. */
  boundTo: readonly string[];
  /** The file with the ID of its pod, where the unit makes the container in a pod. */
  podIDFile?: string;
}

interface Commands {
  environment: string[];
  restart: string;
  burst?: string;
  lines: string[];
}

const CID_FILE = "%t/%n.ctr-id";

/** Writes the unit of a container, as Podman 4.3.1 does. Throws `invalid` for a command or a policy that no unit can have. */
export function containerUnit(container: UnitContainer, place: UnitPlace, options: UnitOptions): string {
  const { service } = container;
  const isTemplate = options.new === true && options.template === true;
  const { startTimeout = 0, environment: added = [] } = options;
  const { environment, restart, burst, lines } = options.new
    ? newCommands(container, options)
    : startCommands(container, options);
  const runRoot = options.new ? "%t/containers" : place.runRoot;
  const bound = [...container.boundTo].sort().map((name) => `${name}.service`).join(" ");
  return [
    ...headerLines(service, { ...place, runRoot }, { noHeader: options.noHeader, isTemplate }),
    ...bound === "" ? [] : [`BindsTo=${bound}`, `After=${bound}`],
    ...dependencyLines(options),
    "",
    "[Service]",
    `Environment=PODMAN_SYSTEMD_UNIT=%n${isTemplate ? "-%i" : ""}`,
    ...environment.length > 0 ? [`Environment=${environment.join(" ")}`] : [],
    ...added.map((text) => `Environment=${escapeWord(text)}`),
    `Restart=${restart}`,
    ...burst === undefined ? [] : [`StartLimitBurst=${burst}`],
    ...startTimeout === 0 ? [] : [`TimeoutStartSec=${startTimeout}`],
    `TimeoutStopSec=${stopLimits(options).seconds}`,
    ...lines,
    ...INSTALL_LINES,
  ].join("\n");
}

function startCommands({ nameOrID, conmonPidFile }: UnitContainer, options: UnitOptions): Commands {
  // Podman's own text has two blanks here.
  const stop = wrapWords([PROGRAM, "stop", "", ...stopLimits(options).words, nameOrID]);
  return {
    environment: [],
    restart: restartValue(options),
    lines: [
      `ExecStart=${PROGRAM} start ${nameOrID}`,
      `ExecStop=${stop}`,
      `ExecStopPost=${stop}`,
      `PIDFile=${conmonPidFile}`,
      "Type=forking",
    ],
  };
}

function newCommands(container: UnitContainer, options: UnitOptions): Commands {
  const { id, createCommand, podIDFile } = container;
  if (createCommand.length === 0) {
    const reason =
      "no create command found: only works on containers created directly with podman but not via REST API";
    throw new EngineError("invalid", `cannot use --new on container "${id}": ${reason}`);
  }
  const index = createCommand.findIndex((word) => word === "run" || word === "create") + 1;
  if (index === 0) {
    const text = `container's create command is too short or invalid: [${createCommand.join(" ")}]`;
    throw new EngineError("invalid", text);
  }
  const given = createCommand.slice(index);
  const flags = readFlags(given, {
    detach: { letter: "d", takesValue: false },
    name: { takesValue: true },
    replace: { takesValue: false },
    env: { letter: "e", takesValue: true },
    sdnotify: { takesValue: true },
    restart: { takesValue: true },
    help: { letter: "h", takesValue: true },
  });
  const roots = createCommand.slice(1, Math.max(1, index - 1));
  const fixed = [`--cidfile=${CID_FILE}`, "--cgroups=no-conmon", "--rm"];
  if (podIDFile !== undefined) fixed.push("--pod-id-file", podIDFile);
  const { added, words } = completeCommand(given, flags, podIDFile !== undefined);
  const user = words.map(escapeWord);
  const start = [PROGRAM, ...roots.map(escapeWord), "run", ...fixed, ...added, ...user];
  const { words: limit } = stopLimits(options);
  const end = [`--cidfile=${CID_FILE}`];
  return {
    environment: inheritedVariables(flags, container.env).map(escapeWord),
    ...restartOf(flags, options),
    lines: [
      `ExecStartPre=${wrapWords(["/bin/rm", "-f", CID_FILE])}`,
      `ExecStart=${wrapWords(options.template ? nameInstances(start, container.service) : start)}`,
      `ExecStop=${wrapWords([PROGRAM, "stop", `--ignore ${limit.join(" ")}`, ...end])}`,
      `ExecStopPost=${wrapWords([PROGRAM, "rm", "-f", `--ignore ${limit.join(" ")}`, ...end])}`,
      "Type=notify",
      "NotifyAccess=all",
    ],
  };
}

/** Splits a create command into the flags that the unit adds and the words that stay. */
function completeCommand(
  given: readonly string[],
  flags: CommandFlags,
  isInPod: boolean,
): { added: string[]; words: string[] } {
  const { values, rest } = flags;
  const added: string[] = [];
  let words = dropFlags(given, rest, {
    "--rm": "plain",
    "--cgroups": "value",
    "--cidfile": "value",
    "--restart": "value",
  });
  if (isInPod) {
    words = dropFlags(words, rest, { "--pod": "value", "--pod-id-file": "value", "--infra-conmon-pidfile": "value" });
  }
  const notify = values.get("sdnotify")?.at(-1);
  if (notify === undefined || notify === "ignore") {
    // A unit of type "notify" fails where nobody notifies.
    words = dropFlags(words, rest, { "--sdnotify": "value" });
    added.push("--sdnotify=conmon");
  }
  if (!flagSet(flags, "detach")) {
    words = dropWords(words, rest, ["-d=false", "--detach=false"]);
    added.push("-d");
  }
  if (values.has("name") && !flagSet(flags, "replace")) {
    words = dropWords(words, rest, ["--replace=false"]);
    added.push("--replace");
  }
  return { added, words };
}

/** The command's restart policy counts where the request has none. */
function restartOf({ values }: CommandFlags, options: UnitOptions): Pick<Commands, "restart" | "burst"> {
  const policy = values.get("restart")?.at(-1);
  if (options.restartPolicy !== undefined || !policy) return { restart: restartValue(options) };
  if (policy === "unless-stopped") return { restart: "always" };
  const [, burst] = /^on-failure:([^:]*)/.exec(policy) ?? [];
  return burst === undefined ? { restart: policy } : { restart: "on-failure", burst };
}

/** Variables that the command takes over from its caller have the values that the container got. */
function inheritedVariables({ values }: CommandFlags, env: readonly string[]): string[] {
  const names = (values.get("env") ?? []).filter((text) => !text.includes("="));
  return names.flatMap((name) => env.filter((line) => line.split("=", 1)[0] === name));
}

/** Has each instance of a template make a container with a name of its own. */
function nameInstances(command: readonly string[], service: string): string[] {
  const words = [...command];
  const flag = words.findIndex((word) => word === "--name" || word.startsWith("--name="));
  if (flag === -1) words.splice(words.indexOf("run") + 1, 0, `--name=${service}-%i`);
  else words[words[flag] === "--name" ? flag + 1 : flag] += "-%i";
  return words;
}
