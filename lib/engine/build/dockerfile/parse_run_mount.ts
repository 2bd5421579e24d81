import { EngineError } from "../../errors.ts";
import { parseByteSize } from "../../text/byte_size.ts";
import type { RunMount } from "./instructions.ts";

const TYPES: Record<string, readonly string[]> = {
  bind: ["from", "source", "target", "rw"],
  cache: ["from", "source", "target", "ro", "id", "sharing", "mode", "uid", "gid"],
  tmpfs: ["target", "size"],
  secret: ["target", "id", "required", "mode", "uid", "gid", "env"],
  ssh: ["target", "id", "required", "mode", "uid", "gid"],
};

const ALIASES: Record<string, string> = {
  src: "source",
  dst: "target",
  destination: "target",
  readonly: "ro",
  readwrite: "rw",
};

/**
 * Reads `--mount` of a `RUN`: `type=cache,target=/root/.cache`. The type is `bind` where it is left out.
 *
 * @throws {EngineError} `invalid` for keys that the type has not, and values that are none
 */
export function parseRunMount(text: string): RunMount {
  const fields = new Map<string, string>();
  for (const part of text.split(",")) {
    const [key, ...rest] = part.split("=");
    const name = key.trim().toLowerCase();
    fields.set(ALIASES[name] ?? name, rest.length === 0 ? "true" : rest.join("="));
  }
  const type = fields.get("type") ?? "bind";
  fields.delete("type");
  if (!isType(type)) {
    throw invalidMount(`unsupported mount type "${type}": it is one of ${Object.keys(TYPES).join(", ")}`);
  }
  const allowed = [...TYPES[type], "ro", "rw"];
  for (const key of fields.keys()) {
    if (!allowed.includes(key)) throw invalidMount(`unexpected key '${key}' for mount type '${type}'`);
  }
  const isSecret = type === "secret" || type === "ssh";
  const target = fields.get("target") ?? "";
  if (target === "" && !isSecret) throw invalidMount(`mount of type ${type} requires a target`);
  const sharing = fields.get("sharing");
  if (sharing !== undefined && !isSharing(sharing)) {
    throw invalidMount(`unsupported sharing value "${sharing}": it is shared, private or locked`);
  }
  const size = fields.get("size");
  return {
    type,
    target,
    readOnly: type === "bind" ? !flagOf(fields, "rw", false) : flagOf(fields, "ro", isSecret),
    ...pickFields(fields, ["from", "source", "id", "env"]),
    ...readNumbers(fields),
    ...sharing && { sharing },
    ...fields.has("required") && { required: flagOf(fields, "required", true) },
    ...size !== undefined && { size: parseByteSize(size) },
  };
}

function isType(text: string): text is RunMount["type"] {
  return Object.hasOwn(TYPES, text);
}

function isSharing(text: string): text is NonNullable<RunMount["sharing"]> {
  return ["shared", "private", "locked"].includes(text);
}

function flagOf(fields: ReadonlyMap<string, string>, name: string, otherwise: boolean): boolean {
  const value = fields.get(name);
  if (value === undefined) return otherwise;
  if (/^(?:true|1)$/i.test(value)) return true;
  if (/^(?:false|0)$/i.test(value)) return false;
  throw invalidMount(`invalid value for ${name}: "${value}" is not a boolean`);
}

function pickFields<K extends "from" | "source" | "id" | "env">(
  fields: ReadonlyMap<string, string>,
  names: readonly K[],
): Partial<Record<K, string>> {
  const found: Partial<Record<K, string>> = {};
  for (const name of names) {
    const value = fields.get(name);
    if (value !== undefined) found[name] = value;
  }
  return found;
}

function readNumbers(fields: ReadonlyMap<string, string>): { mode?: number; uid?: number; gid?: number } {
  const found: { mode?: number; uid?: number; gid?: number } = {};
  for (const name of ["mode", "uid", "gid"] as const) {
    const value = fields.get(name);
    if (value === undefined) continue;
    const pattern = name === "mode" ? /^[0-7]{1,6}$/ : /^[0-9]{1,10}$/;
    if (!pattern.test(value)) throw invalidMount(`invalid value for ${name}: "${value}"`);
    found[name] = parseInt(value, name === "mode" ? 8 : 10);
  }
  return found;
}

function invalidMount(why: string): EngineError {
  return new EngineError("invalid", `invalid mount: ${why}`);
}
