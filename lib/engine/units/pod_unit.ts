/**
 * Writes the unit of a pod.
 *
 * @module
 */
import { EngineError } from "../errors.ts";
import { flagSet, readFlags } from "./command_flags.ts";
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

/** A pod as its unit needs it. */
export interface UnitPod {
  id: string;
  /** The service's name, without `.service`. */
  service: string;
  /** The infra container's name, or its ID where services go by IDs. */
  infraNameOrID: string;
  /** The command that made it; empty where it came by the API. */
  createCommand: readonly string[];
  /** The file with the process ID of the infra container's supervisor. */
  conmonPidFile: string;
  /** The services of its containers. */
  services: readonly string[];
}

/** The file with the ID of a pod that its unit makes. */
export function podIDFile(service: string): string {
  return `%t/${service}.pod-id`;
}

/** Writes the unit of a pod, as Podman 4.3.1 does. Throws `invalid` for a command or a policy that no unit can have. */
export function podUnit(pod: UnitPod, place: UnitPlace, options: UnitOptions): string {
  const required = [...pod.services].sort().map((name) => `${name}.service`).join(" ");
  const { restartSec = 0 } = options;
  return [
    ...headerLines(pod.service, place, { noHeader: options.noHeader }),
    `Wants=${required}`,
    `Before=${required}`,
    ...dependencyLines(options),
    "",
    "[Service]",
    "Environment=PODMAN_SYSTEMD_UNIT=%n",
    `Restart=${restartValue(options)}`,
    ...restartSec === 0 ? [] : [`RestartSec=${restartSec}`],
    `TimeoutStopSec=${stopLimits(options).seconds}`,
    ...options.new ? newLines(pod, options) : startLines(pod, options),
    "Type=forking",
    ...INSTALL_LINES,
  ].join("\n");
}

function startLines({ infraNameOrID, conmonPidFile }: UnitPod, options: UnitOptions): string[] {
  // Podman's own text has two blanks before the flag.
  const stop = wrapWords([PROGRAM, "stop", "", ...stopLimits(options).words, infraNameOrID]);
  return [
    `ExecStart=${PROGRAM} start ${infraNameOrID}`,
    `ExecStop=${stop}`,
    `ExecStopPost=${stop}`,
    `PIDFile=${conmonPidFile}`,
  ];
}

function newLines({ id, service, createCommand }: UnitPod, options: UnitOptions): string[] {
  if (createCommand.length === 0) {
    throw new EngineError("invalid", `cannot use --new on pod "${id}": no create command found`);
  }
  const index = createCommand.findIndex((word, i) => i > 0 && word === "create" && createCommand[i - 1] === "pod");
  if (index === -1) {
    const text = `pod does not appear to be created via \`podman pod create\`: [${createCommand.join(" ")}]`;
    throw new EngineError("invalid", text);
  }
  const roots = createCommand.slice(1, Math.max(1, index - 1)).map(escapeWord);
  const pidFile = `%t/${service}.pid`;
  const idFile = podIDFile(service);
  const create = [
    ...[PROGRAM, ...roots, "pod", "create", "--infra-conmon-pidfile", pidFile, "--pod-id-file", idFile],
    ...completeCommand(createCommand.slice(index + 1)).map(escapeWord),
  ];
  // Podman writes the flags before its command without a line of their own.
  const program = [PROGRAM, ...roots].join(" ");
  return [
    `ExecStartPre=${wrapWords(["/bin/rm", "-f", pidFile, idFile])}`,
    `ExecStartPre=${wrapWords(create)}`,
    `ExecStart=${wrapWords([program, "pod", "start", "--pod-id-file", idFile])}`,
    `ExecStop=${
      wrapWords([program, "pod", "stop", "--ignore", "--pod-id-file", idFile, "", ...stopLimits(options).words])
    }`,
    `ExecStopPost=${wrapWords([program, "pod", "rm", "--ignore", "-f", "--pod-id-file", idFile])}`,
    `PIDFile=${pidFile}`,
  ];
}

function completeCommand(given: readonly string[]): string[] {
  let words = dropFlags(given, 0, { "--pod": "value", "--pod-id-file": "value", "--infra-conmon-pidfile": "value" });
  const flags = readFlags(words, { name: { takesValue: true }, replace: { takesValue: false } });
  if (flags.values.has("name") && !flagSet(flags, "replace")) {
    words = [...dropWords(words, flags.rest, ["--replace=false"]), "--replace"];
  }
  const hasPolicy = words.some((word) => word === "--exit-policy" || word.startsWith("--exit-policy="));
  return hasPolicy ? words : ["--exit-policy=stop", ...words];
}
