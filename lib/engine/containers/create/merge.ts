/** A spec and its image's config become what the container's process will be. */
import type { ExecutionConfig } from "../../../oci/image_config.ts";
import type { ContainerSpec, ProcessConfig } from "../../records/container_record.ts";
import { splitPair } from "../../text/pairs.ts";
import { parseSignal, SIGTERM } from "../../text/signals.ts";
import { expandWord } from "./expand.ts";
import { isPath } from "./mounts.ts";
import { invalid } from "../../errors.ts";
import { WAITING_LABEL } from "../warm/warm_request.ts";

/** Seconds a container gets to end by itself. */
export const DEFAULT_STOP_TIMEOUT = 10;

/** SIGRTMIN+3 asks systemd to halt. */
const SYSTEMD_STOP_SIGNAL = 37;
/** Commands that are systemd. */
const SYSTEMD = /^(?:(?:\/usr(?:\/local)?)?\/sbin\/init|(?:[^\0]*\/)?systemd)$/;

/** `container` names the engine family: software inside looks for this very value. */
const DEFAULT_ENV = {
  PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
  container: "podman",
};

/**
 * The arguments of the process. An entrypoint of the spec replaces the image's and drops its command with it; an empty
 * one, or `[""]`, takes it away. Throws `invalid` when nothing is left to run.
 */
function mergeArgs(
  spec: Pick<ContainerSpec, "entrypoint" | "command" | "rootfs">,
  image: ExecutionConfig,
): string[] {
  const entrypoint = spec.entrypoint ?? image.Entrypoint ?? [];
  const isNone = entrypoint.length === 1 && entrypoint[0] === "";
  const ownCommand = spec.command ?? [];
  const inherits = ownCommand.length === 0 && !spec.entrypoint?.length;
  const args = [...isNone ? [] : entrypoint, ...inherits ? image.Cmd ?? [] : ownCommand];
  // Nobody knows a folder's command: its start says that there is none.
  if (args.length > 0 || spec.rootfs !== undefined) return args;
  throw invalid("no command or entrypoint provided, and no CMD or ENTRYPOINT from image");
}

/** The inputs of a process that come from neither spec nor image. */
export interface Surroundings {
  /** The container's; left out where it is not known. */
  hostname?: string;
  /** Variables that the image's go before. */
  defaultEnv?: Record<string, string>;
  /** The engine's proxy variables. */
  proxyEnv?: Record<string, string>;
  /** The engine's whole environment, for who asks for it. */
  hostEnv?: Record<string, string>;
}

/** The environment: defaults, then the image's, then the spec's own. */
function mergeEnv(spec: ContainerSpec, image: ExecutionConfig, around: Surroundings = {}): string[] {
  const { hostname, defaultEnv = {}, proxyEnv = {}, hostEnv = {} } = around;
  const env = new Map<string, string>(Object.entries({ ...DEFAULT_ENV, ...defaultEnv }));
  if (spec.httpProxy !== false) { for (const [name, value] of Object.entries(proxyEnv)) env.set(name, value); }
  for (const [name, value] of (image.Env ?? []).map((line) => splitPair(line))) env.set(name, value);
  if (spec.terminal && !env.has("TERM")) env.set("TERM", "xterm");
  for (const [name, value] of (spec.envMerge ?? []).map((word) => mergedEntry(word, env))) env.set(name, value);
  if (spec.unsetEnv === true) env.clear();
  else for (const name of spec.unsetEnv ?? []) env.delete(name);
  if (spec.envHost) { for (const [name, value] of Object.entries(hostEnv)) env.set(name, value); }
  for (const [name, value] of Object.entries(spec.env)) env.set(name, value);
  if (hostname && !env.has("HOSTNAME")) env.set("HOSTNAME", hostname);
  return [...env].map(([name, value]) => `${name}=${value}`);
}

/** Everything of the process. Throws `invalid` for what cannot be run. */
export function mergeProcess(spec: ContainerSpec, image: ExecutionConfig, around?: Surroundings): ProcessConfig {
  const workdir = spec.workdir || image.WorkingDir || "/";
  if (!workdir.startsWith("/")) {
    throw invalid(`the working directory "${workdir}" is invalid, it needs to be an absolute path`);
  }
  if (!isPath(workdir)) throw invalid("the working directory is no path: it is too long, or has a NUL byte");
  return {
    args: mergeArgs(spec, image),
    env: mergeEnv(spec, image, around),
    workdir,
    user: spec.user || image.User || "",
    terminal: spec.terminal,
  };
}

/** Labels of the image, with the spec's over them. No image says that a container waits for a request. */
export function mergeLabels(spec: Pick<ContainerSpec, "labels">, image: ExecutionConfig): Record<string, string> {
  const { [WAITING_LABEL]: _, ...labels } = image.Labels ?? {};
  return { ...labels, ...spec.labels };
}

/** Ports the image and the spec say the software listens on. */
export function mergeExposed(spec: Pick<ContainerSpec, "exposed">, image: ExecutionConfig): string[] {
  return [...new Set([...Object.keys(image.ExposedPorts ?? {}), ...spec.exposed])];
}

/** The signal that asks the process to end. */
export function mergeStopSignal(spec: ContainerSpec, image: ExecutionConfig, systemd = false): number {
  const usual = systemd ? SYSTEMD_STOP_SIGNAL : SIGTERM;
  return spec.stopSignal ?? (image.StopSignal ? parseSignal(image.StopSignal) : usual);
}

/** Whether the software is systemd: said so, or seen from its command, a shell's script too. */
export function isSystemd({ systemd }: Pick<ContainerSpec, "systemd">, args: readonly string[]): boolean {
  if (systemd !== undefined) return systemd === "always";
  const [shell, flag, script] = args;
  return SYSTEMD.test(shell === "/bin/sh" && flag === "-c" && script !== undefined ? script : shell ?? "");
}

function mergedEntry(word: string, env: ReadonlyMap<string, string>): [string, string] {
  const text = expandWord(word, env);
  if (!text.includes("=")) throw invalid(`missing \`=\` for --env-merge substitution ${word}`);
  return splitPair(text);
}
