import { cleanPath } from "../../oci/clean_path.ts";
import { asSet, type ExecutionConfig } from "../../oci/image_config.ts";
import { EngineError } from "../errors.ts";
import { splitPair } from "../text/pairs.ts";
import { parseSignal } from "../text/signals.ts";
import type { BuildOptions } from "./build_options.ts";
import type { Command, PlainInstruction } from "./dockerfile/instructions.ts";

/** The shell of commands where no `SHELL` says another. */
const DEFAULT_SHELL = ["/bin/sh", "-c"];
const DEFAULT_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** Puts variables into a word, or, `raw`, into a heredoc's content, which keeps its quotes. */
export type Expand = (word: string, raw?: boolean) => string;

/** The variables of a config. */
export function environmentOf({ Env = [] }: ExecutionConfig): Map<string, string> {
  return new Map(Env.map((line) => splitPair(line)));
}

/** The words that a command is run by: as they are, or its text behind the shell's. */
export function commandWords(config: ExecutionConfig, command: Command): string[] {
  if (command.form === "exec") return command.words;
  return [...config.Shell ?? DEFAULT_SHELL, command.text];
}

/** The config of a stage that begins: it has a path to look programs up in, and the caller's variables. */
export function beginConfig(
  config: ExecutionConfig,
  { env = {}, dropLabels = [] }: Pick<BuildOptions, "env" | "dropLabels"> = {},
): ExecutionConfig {
  const { OnBuild: _, Labels = {}, ...rest } = config;
  const labels = Object.entries(Labels).filter(([name]) => dropLabels !== true && !dropLabels.includes(name));
  const variables = new Map([...environmentOf(rest), ...Object.entries(env)]);
  if (!variables.has("PATH")) variables.set("PATH", DEFAULT_PATH);
  return {
    ...rest,
    ...labels.length > 0 && { Labels: Object.fromEntries(labels) },
    Env: [...variables].map(([name, value]) => `${name}=${value}`),
  };
}

/** The path of a folder, as a shell would go there from the stage's. */
export function joinWorkdir(config: ExecutionConfig, path: string): string {
  return cleanPath(path.startsWith("/") ? path : `${config.WorkingDir ?? ""}/${path}`);
}

/**
 * A config with what an instruction changes in it: everything but files. Variables are put in where Docker does.
 *
 * @throws {EngineError} `invalid` for values that make no sense
 */
export function changeConfig(
  config: ExecutionConfig,
  instruction: PlainInstruction,
  expand: Expand,
): ExecutionConfig {
  switch (instruction.is) {
    case "ARG":
    case "MAINTAINER":
      return config;
    case "ENV": {
      const env = environmentOf(config);
      // All of a line see the variables as they were before it.
      for (const [name, value] of instruction.pairs.map((pair) => pair.map((word) => expand(word)))) {
        env.set(name, value);
      }
      return { ...config, Env: [...env].map(([name, value]) => `${name}=${value}`) };
    }
    case "LABEL": {
      const labels = Object.fromEntries(instruction.pairs.map(([name, value]) => [expand(name), expand(value)]));
      return { ...config, Labels: { ...config.Labels, ...labels } };
    }
    case "CMD":
      return { ...config, Cmd: shellWords(config, instruction.command) };
    case "ENTRYPOINT":
      // The command of the image below is for another entrypoint.
      return { ...config, Entrypoint: shellWords(config, instruction.command), Cmd: undefined };
    case "SHELL":
      return { ...config, Shell: instruction.words };
    case "WORKDIR":
      return { ...config, WorkingDir: joinWorkdir(config, requireValue("WORKDIR", expand(instruction.value))) };
    case "USER":
      return { ...config, User: requireValue("USER", expand(instruction.value)) };
    case "STOPSIGNAL": {
      const signal = expand(instruction.value);
      parseSignal(signal);
      return { ...config, StopSignal: signal };
    }
    case "VOLUME": {
      const paths = instruction.values.map((value) => requireValue("VOLUME", expand(value)));
      return { ...config, Volumes: { ...config.Volumes, ...asSet(paths) } };
    }
    case "EXPOSE": {
      const ports = instruction.values.flatMap((value) => expand(value).split(/\s+/)).filter((word) => word !== "");
      return { ...config, ExposedPorts: { ...config.ExposedPorts, ...asSet(ports.flatMap(portsOf)) } };
    }
    case "HEALTHCHECK":
      return { ...config, Healthcheck: instruction.check };
    case "ONBUILD":
      return { ...config, OnBuild: [...config.OnBuild ?? [], instruction.trigger] };
  }
}

function shellWords(config: ExecutionConfig, command: Command): string[] {
  return command.form === "shell" && command.text === "" ? [] : commandWords(config, command);
}

/** `80`, `80/udp`, `8000-8010/tcp`. */
function portsOf(text: string): string[] {
  const [, first, last = first, protocol = "tcp"] = /^(\d{1,5})(?:-(\d{1,5}))?(?:\/(tcp|udp|sctp))?$/i.exec(text) ?? [];
  const [from, to] = [Number(first), Number(last)];
  if (first === undefined || from < 1 || to > 65535 || to < from) {
    throw new EngineError(
      "invalid",
      `invalid containerPort: ${text}: it is PORT, FIRST-LAST, or either with /tcp or /udp`,
    );
  }
  return Array.from({ length: to - from + 1 }, (_, at) => `${from + at}/${protocol.toLowerCase()}`);
}

function requireValue(keyword: string, value: string): string {
  if (value !== "") return value;
  throw new EngineError("invalid", `${keyword} is empty once its variables are put in`);
}
