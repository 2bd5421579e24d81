import type { ExecutionConfig } from "../../../oci/image_config.ts";
import { parseTextList } from "../../../oci/json.ts";
import { EngineError } from "../../errors.ts";
import { parseSignal } from "../../text/signals.ts";

/** A change taken apart: the instruction, what follows it, and how it was written. */
interface Change {
  value: string;
  text: string;
}

const INSTRUCTIONS: Record<string, (config: ExecutionConfig, change: Change) => void> = {
  USER(config, change) {
    if (change.value === "") throw invalid(change, "must provide a value to USER");
    config.User = change.value;
  },
  EXPOSE(config, change) {
    config.ExposedPorts = { ...config.ExposedPorts, [portOf(change)]: {} };
  },
  ENV(config, change) {
    const { key, value } = pair(change.value);
    if (key === "") throw invalid(change, "ENV must have at least one argument");
    const name = unquoted(key);
    const others = (config.Env ?? []).filter((item) => !item.startsWith(`${name}=`));
    config.Env = [...others, `${name}=${unquoted(value ?? "")}`];
  },
  ENTRYPOINT(config, { value }) {
    config.Entrypoint = parseTextList(value) ?? (value === "" ? [] : ["/bin/sh", "-c", value]);
  },
  CMD(config, { value }) {
    config.Cmd = parseTextList(value) ?? ["/bin/sh", "-c", ...value === "" ? [] : [value]];
  },
  VOLUME(config, change) {
    const paths = parseTextList(change.value) ?? change.value.split(" ");
    if (paths.length === 0) throw invalid(change, "must provide at least one argument to VOLUME");
    if (paths.includes("")) throw invalid(change, "VOLUME paths must not be empty");
    config.Volumes = { ...config.Volumes, ...Object.fromEntries(paths.map((path) => [path, {}])) };
  },
  WORKDIR(config, change) {
    if (change.value === "") throw invalid(change, "must provide a non-empty WORKDIR");
    config.WorkingDir = joined(change.value.startsWith("/") ? "" : config.WorkingDir ?? "", change.value);
  },
  LABEL(config, change) {
    const { key, value } = pair(change.value);
    if (value === undefined) throw invalid(change, "LABEL must be formatted key=value");
    const name = unquoted(key);
    if (name === "") throw invalid(change, "LABEL must have a non-empty key");
    config.Labels = { ...config.Labels, [name]: unquoted(value) };
  },
  STOPSIGNAL(config, change) {
    config.StopSignal = String(signalOf(change));
  },
  ONBUILD(config, change) {
    if (change.value === "") throw invalid(change, "ONBUILD must be given an argument");
    config.OnBuild = [...config.OnBuild ?? [], change.value];
  },
};

/**
 * The config with changes in the form of a few Dockerfile instructions applied in order: `CMD`, `ENTRYPOINT`, `ENV`, `EXPOSE`,
 * `LABEL`, `ONBUILD`, `STOPSIGNAL`, `USER`, `VOLUME` and `WORKDIR`, each followed by a blank or `=` and its value, which may
 * have line breaks in it.
 *
 * Throws `EngineError("invalid")` for any other instruction and for values that make no sense.
 */
export function applyChanges(config: ExecutionConfig, changes: readonly string[]): ExecutionConfig {
  const changed = { ...config };
  for (const text of changes) {
    if (text.trim() === "") continue;
    const [, key, value] = /^\s*([^\s=]*)[\s=](.*)$/s.exec(text) ?? [];
    if (key === undefined) throw invalid({ text }, "must be formatted as KEY VALUE");
    const name = key.toUpperCase();
    if (!Object.hasOwn(INSTRUCTIONS, name)) throw invalid({ text }, `invalid instruction ${name}`);
    INSTRUCTIONS[name](changed, { value: value.trim(), text });
  }
  return changed;
}

function portOf(change: Change): string {
  const [port, protocol = "tcp", ...more] = change.value.split("/");
  if (more.length > 0) throw invalid(change, "EXPOSE port must be formatted as PORT[/PROTO]");
  if (!/^[0-9]+$/.test(port)) throw invalid(change, "EXPOSE port must be an integer");
  if (Number(port) < 1 || Number(port) > 65535) throw invalid(change, "EXPOSE port must be a valid port number");
  if (!/^(?:tcp|udp)$/i.test(protocol)) throw invalid(change, "EXPOSE protocol must be TCP or UDP");
  return `${Number(port)}/${protocol.toLowerCase()}`;
}

function signalOf(change: Change): number {
  try {
    return parseSignal(change.value);
  } catch (error) {
    throw invalid(change, `KILLSIGNAL must be given a valid signal: ${error instanceof Error ? error.message : error}`);
  }
}

/** Splits a text at its first `=`. */
function pair(text: string): { key: string; value?: string } {
  const at = text.indexOf("=");
  return at < 0 ? { key: text } : { key: text.slice(0, at), value: text.slice(at + 1) };
}

function unquoted(text: string): string {
  return text.length > 1 && text.startsWith('"') && text.endsWith('"') ? text.slice(1, -1) : text;
}

/** A path below another, as a shell would go there and back. */
function joined(base: string, path: string): string {
  const isAbsolute = base.startsWith("/") || (base === "" && path.startsWith("/"));
  const components: string[] = [];
  for (const component of `${base}/${path}`.split("/")) {
    if (component === ".." && (isAbsolute || (components.length > 0 && components.at(-1) !== ".."))) components.pop();
    else if (component !== "" && component !== ".") components.push(component);
  }
  return (isAbsolute ? "/" : "") + components.join("/");
}

function invalid({ text }: Pick<Change, "text">, why: string): EngineError {
  return new EngineError("invalid", `invalid change "${text}" - ${why}`);
}
