/**
 * Image configs, OCI image-spec "config", with the fields Docker adds. Keys are the JSON's own.
 *
 * @module
 */
import { isDigest } from "./digest.ts";
import { isObject, type JSONObject, parseObject, stringMap } from "./json.ts";

/** Docker's health check. Times are nanoseconds. */
export interface Healthcheck {
  /** `["NONE"]`, `["CMD", …]` or `["CMD-SHELL", text]`; empty inherits. */
  Test?: string[];
  Interval?: number;
  Timeout?: number;
  StartPeriod?: number;
  StartInterval?: number;
  Retries?: number;
}

/** How a container of the image is run by default. */
export interface ExecutionConfig {
  User?: string;
  /** Keys are `80/tcp`. */
  ExposedPorts?: Record<string, unknown>;
  /** `NAME=value`. */
  Env?: string[];
  Entrypoint?: string[];
  Cmd?: string[];
  /** Keys are paths. */
  Volumes?: Record<string, unknown>;
  WorkingDir?: string;
  Labels?: Record<string, string>;
  StopSignal?: string;
  /** Seconds. */
  StopTimeout?: number;
  ArgsEscaped?: boolean;
  Healthcheck?: Healthcheck;
  OnBuild?: string[];
  Shell?: string[];
  /** Fields this module does not know, as they came. */
  [unknown: string]: unknown;
}

/** One step of the image's making. */
export interface HistoryEntry {
  created?: string;
  created_by?: string;
  author?: string;
  comment?: string;
  empty_layer?: boolean;
}

/** An image config. */
export interface ImageConfig {
  architecture: string;
  os: string;
  variant?: string;
  "os.version"?: string;
  "os.features"?: string[];
  /** RFC 3339. */
  created?: string;
  author?: string;
  config?: ExecutionConfig;
  /** `diff_ids`: digests of the plain layer tars, from base to top. */
  rootfs: { type: string; diff_ids: string[] };
  history?: HistoryEntry[];
  /** Fields this module does not know, as they came, so that it can be written again. */
  [unknown: string]: unknown;
}

/** Bounds on an image config. */
const IMAGE_CONFIG_LIMITS = { bytes: 8 * 1024 * 1024, depth: 32, layers: 1024, history: 16384 } as const;

const TEXTS = ["User", "WorkingDir", "StopSignal"];
const LISTS = ["Env", "Entrypoint", "Cmd", "OnBuild", "Shell"];
const MAPS = ["ExposedPorts", "Volumes"];

/**
 * Parses an image config. Unknown fields are kept; nulls, which Go writes for empty values, count as absent.
 *
 * Throws `SyntaxError` for what is not an image config and `RangeError` past {@linkcode IMAGE_CONFIG_LIMITS}.
 */
export function parseImageConfig(bytes: Uint8Array): ImageConfig {
  const document = withoutNulls(parseObject(bytes, "Parse image config", IMAGE_CONFIG_LIMITS));
  const { rootfs, history, config, ...rest } = document;
  for (const key of ["architecture", "os", "variant", "created", "author", "os.version"]) checkText(rest, key);
  return {
    ...rest,
    architecture: String(rest.architecture ?? ""),
    os: String(rest.os ?? ""),
    rootfs: readRootfs(rootfs),
    ...(history === undefined ? {} : { history: readHistory(history) }),
    ...(config === undefined ? {} : { config: readExecution(config) }),
  };
}

function readRootfs(value: unknown): ImageConfig["rootfs"] {
  if (!isObject(value)) throw new SyntaxError("Parse image config: no rootfs");
  const ids = value.diff_ids ?? [];
  if (!Array.isArray(ids)) throw new SyntaxError("Parse image config: diff_ids is not a list");
  if (ids.length > IMAGE_CONFIG_LIMITS.layers) {
    throw new RangeError(`Parse image config: more than ${IMAGE_CONFIG_LIMITS.layers} layers`);
  }
  const diffIDs = ids.map((id, i) => {
    if (typeof id !== "string" || !isDigest(id)) {
      throw new SyntaxError(`Parse image config: diff_ids ${i} is not a digest`);
    }
    return id;
  });
  return { ...value, type: typeof value.type === "string" ? value.type : "layers", diff_ids: diffIDs };
}

function readHistory(value: unknown): HistoryEntry[] {
  if (!Array.isArray(value)) throw new SyntaxError("Parse image config: history is not a list");
  if (value.length > IMAGE_CONFIG_LIMITS.history) {
    throw new RangeError(`Parse image config: more than ${IMAGE_CONFIG_LIMITS.history} history entries`);
  }
  return value.map((item) => {
    if (!isObject(item)) throw new SyntaxError("Parse image config: a history entry is not an object");
    const entry = withoutNulls(item);
    for (const key of ["created", "created_by", "author", "comment"]) checkText(entry, key);
    if (entry.empty_layer !== undefined && typeof entry.empty_layer !== "boolean") throw wrongKind("empty_layer");
    return entry;
  });
}

function readExecution(value: unknown): ExecutionConfig {
  if (!isObject(value)) throw wrongKind("config");
  const config = withoutNulls(value);
  // Docker's oldest builders wrote a shell command as one text.
  for (const key of ["Entrypoint", "Cmd"]) if (typeof config[key] === "string") config[key] = [config[key]];
  for (const key of TEXTS) checkText(config, key);
  for (const key of LISTS) checkTexts(config, key);
  for (const key of MAPS) if (config[key] !== undefined && !isObject(config[key])) throw wrongKind(key);
  const { Labels, Healthcheck, ...rest } = config;
  const labels = stringMap(Labels, "Parse image config: Labels");
  return {
    ...rest,
    ...(labels === undefined ? {} : { Labels: labels }),
    ...(Healthcheck === undefined ? {} : { Healthcheck: readHealthcheck(Healthcheck) }),
  };
}

function readHealthcheck(value: unknown): Healthcheck {
  if (!isObject(value)) throw wrongKind("Healthcheck");
  const check = withoutNulls(value);
  checkTexts(check, "Test");
  for (const key of ["Interval", "Timeout", "StartPeriod", "StartInterval", "Retries"]) {
    if (check[key] !== undefined && typeof check[key] !== "number") throw wrongKind(`Healthcheck.${key}`);
  }
  return check;
}

function checkText(object: JSONObject, key: string): void {
  if (object[key] !== undefined && typeof object[key] !== "string") throw wrongKind(key);
}

function checkTexts(object: JSONObject, key: string): void {
  const list = object[key];
  if (list === undefined) return;
  if (!Array.isArray(list) || !list.every((item) => typeof item === "string")) throw wrongKind(key);
}

function withoutNulls(object: JSONObject): JSONObject {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null));
}

function wrongKind(key: string): SyntaxError {
  return new SyntaxError(`Parse image config: "${key}" has the wrong shape`);
}

/** Writes a set as image configs have it: each member with an empty object. */
export function asSet(members: readonly string[]): Record<string, Record<never, never>> {
  return Object.fromEntries(members.map((member) => [member, {}]));
}
