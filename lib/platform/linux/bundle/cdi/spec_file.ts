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
  const file = readFields("file", content, ["cdiVersion", "kind", "annotations", "devices", "containerEdits"]);
  const version = readText("cdiVersion", file.cdiVersion);
  if (!VERSIONS.test(version)) throw new SyntaxError(`invalid version "${version}"`);
  const kind = readText("kind", file.kind);
  if (!isDeviceKind(kind)) throw new SyntaxError(`invalid kind "${kind}"`);
  const devices = new Map<string, ContainerEdits>();
  for (const entry of readList("devices", file.devices)) {
    const device = readFields("device", entry, ["name", "annotations", "containerEdits"]);
    const name = readText("device name", device.name);
    if (!isPlainDeviceName(name)) throw new SyntaxError(`invalid device name "${name}"`);
    if (devices.has(name)) throw new SyntaxError(`invalid spec, multiple device "${name}"`);
    devices.set(name, readEdits(device.containerEdits));
  }
  if (devices.size === 0) throw new SyntaxError("invalid spec, no devices");
  return { kind, devices, edits: readEdits(file.containerEdits) };
}

function readEdits(value: unknown): ContainerEdits {
  const known = ["env", "deviceNodes", "netDevices", "hooks", "mounts", "intelRdt", "additionalGids"];
  const edits = readFields("containerEdits", value ?? {}, known);
  for (const name of ["netDevices", "intelRdt"]) {
    if (edits[name] !== undefined && edits[name] !== null) throw new SyntaxError(`"${name}" is not supported yet`);
  }
  return {
    env: readEnv(edits.env),
    deviceNodes: readList("deviceNodes", edits.deviceNodes).map(readNode),
    mounts: readList("mounts", edits.mounts).map(readMount),
    hooks: readList("hooks", edits.hooks).map(readHook),
    additionalGids: readList("additionalGids", edits.additionalGids).map((gid) => readCount("additionalGids", gid)),
  };
}

function readNode(value: unknown): DeviceNode {
  const known = ["path", "hostPath", "type", "major", "minor", "fileMode", "permissions", "uid", "gid"];
  const node = readFields("deviceNodes", value, known);
  const path = readPath("device path", node.path);
  const type = ifPresent(node.type, (value) => readText("type", value));
  if (type !== undefined && TYPES[type] === undefined) {
    throw new SyntaxError(`device "${path}": invalid type "${type}"`);
  }
  const permissions = ifPresent(node.permissions, (value) => readText("permissions", value));
  if (permissions !== undefined && !/^[rwm]*$/.test(permissions)) {
    throw new SyntaxError(`device "${path}": invalid permissions "${permissions}"`);
  }
  return {
    path,
    hostPath: ifPresent(node.hostPath, (value) => readPath("hostPath", value)),
    type: type === undefined ? undefined : TYPES[type],
    permissions: permissions || undefined,
    major: ifPresent(node.major, (value) => readCount("major", value)),
    minor: ifPresent(node.minor, (value) => readCount("minor", value)),
    fileMode: ifPresent(node.fileMode, (value) => readCount("fileMode", value)),
    uid: ifPresent(node.uid, (value) => readCount("uid", value)),
    gid: ifPresent(node.gid, (value) => readCount("gid", value)),
  };
}

function readMount(value: unknown): DeviceMount {
  const mount = readFields("mounts", value, ["hostPath", "containerPath", "options", "type"]);
  return {
    hostPath: readText("hostPath", mount.hostPath),
    containerPath: readPath("containerPath", mount.containerPath),
    type: ifPresent(mount.type, (value) => readText("type", value)),
    options: readList("options", mount.options).map((option) => readText("options", option)),
  };
}

function readHook(value: unknown): DeviceHook {
  const hook = readFields("hooks", value, ["hookName", "path", "args", "env", "timeout"]);
  const stage = readText("hookName", hook.hookName);
  if (!STAGES.includes(stage)) throw new SyntaxError(`invalid hook name "${stage}"`);
  return {
    stage,
    path: readPath("hook path", hook.path),
    args: readList("args", hook.args).map((arg) => readText("args", arg)),
    env: readEnv(hook.env),
    timeout: ifPresent(hook.timeout, (value) => readCount("timeout", value)),
  };
}

function readEnv(value: unknown): string[] {
  return readList("env", value).map((entry) => {
    const variable = readText("env", entry);
    if (!/^[^=]+=/.test(variable)) throw new SyntaxError(`invalid environment variable "${variable}"`);
    return variable;
  });
}

/** Throws for fields that are not known: the vendor takes them for done. */
function readFields(name: string, value: unknown, known: readonly string[]): Fields {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new SyntaxError(`"${name}" is no object`);
  }
  const unknown = Object.keys(value).find((key) => !known.includes(key));
  if (unknown !== undefined) throw new SyntaxError(`unknown field "${unknown}" of "${name}"`);
  // The line above knows it for an object; its values are looked at one by one.
  return value as Fields;
}

function readList(name: string, value: unknown): unknown[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw new SyntaxError(`"${name}" is no list`);
  if (value.length > MOST_ENTRIES) throw new SyntaxError(`"${name}" has more than ${MOST_ENTRIES} entries`);
  return value;
}

function readText(name: string, value: unknown): string {
  // A name such as 0 is a number to YAML.
  const found = typeof value === "number" ? String(value) : value;
  if (typeof found !== "string" || found === "") throw new SyntaxError(`invalid (empty) "${name}"`);
  if (found.includes("\0")) throw new SyntaxError(`"${name}" has a NUL byte`);
  return found;
}

function readPath(name: string, value: unknown): string {
  const path = readText(name, value);
  if (!path.startsWith("/") || path.split("/").includes("..")) {
    throw new SyntaxError(`"${name}" "${path}" is not absolute`);
  }
  return path;
}

function readCount(name: string, value: unknown): number {
  if (typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= LARGEST_ID) return value;
  throw new SyntaxError(`"${name}" is no whole number from 0 to ${LARGEST_ID}`);
}

function ifPresent<T>(value: unknown, read: (value: unknown) => T): T | undefined {
  return value === undefined || value === null || value === "" ? undefined : read(value);
}
