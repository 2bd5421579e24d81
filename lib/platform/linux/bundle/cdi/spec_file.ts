/**
 * Files of the Container Device Interface: a vendor's account of what a container needs to use a device.
 *
 * Source: https://github.com/cncf-tags/container-device-interface/blob/main/SPEC.md
 *
 * @module
 */
import { isDeviceKind, isPlainDeviceName } from "../../../../engine/text/device_names.ts";
import type { SpecHook } from "../spec_types.ts";

/** A device's file in the container. */
export interface DeviceNode {
  path: string;
  /** The file on the host; the same path by default. */
  hostPath?: string;
  type?: "b" | "c" | "p";
  major?: number;
  minor?: number;
  fileMode?: number;
  /** Some of `r`, `w` and `m`; all of them by default. */
  permissions?: string;
  uid?: number;
  gid?: number;
}

/** A mount of a container. */
export interface DeviceMount {
  hostPath: string;
  containerPath: string;
  type?: string;
  options: string[];
}

/** A program of the host, and the stage at which it is run. */
export interface DeviceHook extends SpecHook {
  stage: string;
}

/** The changes to a container. */
export interface ContainerEdits {
  env: string[];
  deviceNodes: DeviceNode[];
  mounts: DeviceMount[];
  hooks: DeviceHook[];
  additionalGids: number[];
}

/** A file's devices. */
export interface DeviceFile {
  /** `vendor.com/class`. */
  kind: string;
  /** The changes for each of its devices, by their plain names. */
  devices: Map<string, ContainerEdits>;
  /** The changes that come with any of them. */
  edits: ContainerEdits;
}

/** The versions of the specification whose fields are known here: 0.3.0 to 1.1.0. */
const VERSIONS = /^v?(?:0\.[3-8]\.0|1\.[01]\.0)$/;
/** The most entries that a list of a file may have. */
const MOST_ENTRIES = 4096;
const STAGES = ["prestart", "createRuntime", "createContainer", "startContainer", "poststart", "poststop"];
const TYPES: Record<string, DeviceNode["type"]> = { b: "b", c: "c", u: "c", p: "p" };
const LARGEST_ID = 0xffff_fffe;

type Fields = Record<string, unknown>;

/** Reads a file's content. Throws `SyntaxError` for what the specification does not allow, and for what is not done here. */
export function readDeviceFile(content: unknown): DeviceFile {
  const file = fields("file", content, ["cdiVersion", "kind", "annotations", "devices", "containerEdits"]);
  const version = text("cdiVersion", file.cdiVersion);
  if (!VERSIONS.test(version)) throw new SyntaxError(`invalid version "${version}"`);
  const kind = text("kind", file.kind);
  if (!isDeviceKind(kind)) throw new SyntaxError(`invalid kind "${kind}"`);
  const devices = new Map<string, ContainerEdits>();
  for (const entry of list("devices", file.devices)) {
    const device = fields("device", entry, ["name", "annotations", "containerEdits"]);
    const name = text("device name", device.name);
    if (!isPlainDeviceName(name)) throw new SyntaxError(`invalid device name "${name}"`);
    if (devices.has(name)) throw new SyntaxError(`invalid spec, multiple device "${name}"`);
    devices.set(name, readEdits(device.containerEdits));
  }
  if (devices.size === 0) throw new SyntaxError("invalid spec, no devices");
  return { kind, devices, edits: readEdits(file.containerEdits) };
}

function readEdits(value: unknown): ContainerEdits {
  const known = ["env", "deviceNodes", "netDevices", "hooks", "mounts", "intelRdt", "additionalGids"];
  const edits = fields("containerEdits", value ?? {}, known);
  for (const name of ["netDevices", "intelRdt"]) {
    if (edits[name] !== undefined && edits[name] !== null) throw new SyntaxError(`"${name}" is not supported yet`);
  }
  return {
    env: readEnv(edits.env),
    deviceNodes: list("deviceNodes", edits.deviceNodes).map(readNode),
    mounts: list("mounts", edits.mounts).map(readMount),
    hooks: list("hooks", edits.hooks).map(readHook),
    additionalGids: list("additionalGids", edits.additionalGids).map((gid) => number("additionalGids", gid)),
  };
}

function readNode(value: unknown): DeviceNode {
  const known = ["path", "hostPath", "type", "major", "minor", "fileMode", "permissions", "uid", "gid"];
  const node = fields("deviceNodes", value, known);
  const path = absolute("device path", node.path);
  const type = optional(node.type, (value) => text("type", value));
  if (type !== undefined && TYPES[type] === undefined) {
    throw new SyntaxError(`device "${path}": invalid type "${type}"`);
  }
  const permissions = optional(node.permissions, (value) => text("permissions", value));
  if (permissions !== undefined && !/^[rwm]*$/.test(permissions)) {
    throw new SyntaxError(`device "${path}": invalid permissions "${permissions}"`);
  }
  return {
    path,
    hostPath: optional(node.hostPath, (value) => absolute("hostPath", value)),
    type: type === undefined ? undefined : TYPES[type],
    permissions: permissions || undefined,
    major: optional(node.major, (value) => number("major", value)),
    minor: optional(node.minor, (value) => number("minor", value)),
    fileMode: optional(node.fileMode, (value) => number("fileMode", value)),
    uid: optional(node.uid, (value) => number("uid", value)),
    gid: optional(node.gid, (value) => number("gid", value)),
  };
}

function readMount(value: unknown): DeviceMount {
  const mount = fields("mounts", value, ["hostPath", "containerPath", "options", "type"]);
  return {
    hostPath: text("hostPath", mount.hostPath),
    containerPath: absolute("containerPath", mount.containerPath),
    type: optional(mount.type, (value) => text("type", value)),
    options: list("options", mount.options).map((option) => text("options", option)),
  };
}

function readHook(value: unknown): DeviceHook {
  const hook = fields("hooks", value, ["hookName", "path", "args", "env", "timeout"]);
  const stage = text("hookName", hook.hookName);
  if (!STAGES.includes(stage)) throw new SyntaxError(`invalid hook name "${stage}"`);
  return {
    stage,
    path: absolute("hook path", hook.path),
    args: list("args", hook.args).map((arg) => text("args", arg)),
    env: readEnv(hook.env),
    timeout: optional(hook.timeout, (value) => number("timeout", value)),
  };
}

function readEnv(value: unknown): string[] {
  return list("env", value).map((entry) => {
    const variable = text("env", entry);
    if (!/^[^=]+=/.test(variable)) throw new SyntaxError(`invalid environment variable "${variable}"`);
    return variable;
  });
}

/** Throws for fields that are not known: the vendor takes them for done. */
function fields(name: string, value: unknown, known: readonly string[]): Fields {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new SyntaxError(`"${name}" is no object`);
  }
  const unknown = Object.keys(value).find((key) => !known.includes(key));
  if (unknown !== undefined) throw new SyntaxError(`unknown field "${unknown}" of "${name}"`);
  // The line above knows it for an object; its values are looked at one by one.
  return value as Fields;
}

function list(name: string, value: unknown): unknown[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw new SyntaxError(`"${name}" is no list`);
  if (value.length > MOST_ENTRIES) throw new SyntaxError(`"${name}" has more than ${MOST_ENTRIES} entries`);
  return value;
}

function text(name: string, value: unknown): string {
  // A name such as 0 is a number to YAML.
  const found = typeof value === "number" ? String(value) : value;
  if (typeof found !== "string" || found === "") throw new SyntaxError(`invalid (empty) "${name}"`);
  if (found.includes("\0")) throw new SyntaxError(`"${name}" has a NUL byte`);
  return found;
}

function absolute(name: string, value: unknown): string {
  const path = text(name, value);
  if (!path.startsWith("/") || path.split("/").includes("..")) {
    throw new SyntaxError(`"${name}" "${path}" is not absolute`);
  }
  return path;
}

function number(name: string, value: unknown): number {
  if (typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= LARGEST_ID) return value;
  throw new SyntaxError(`"${name}" is no whole number from 0 to ${LARGEST_ID}`);
}

function optional<T>(value: unknown, read: (value: unknown) => T): T | undefined {
  return value === undefined || value === null || value === "" ? undefined : read(value);
}
