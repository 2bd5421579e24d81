import { lstat } from "node:fs/promises";
import { EngineError } from "../../../../engine/errors.ts";
import type { ContainerRecord } from "../../../../engine/records/container_record.ts";
import { messageOf } from "../../../../oci/message_of.ts";
import { isRootless } from "../../rootless/outer_user.ts";
import { deviceNumbers } from "../devices.ts";
import { bindMount } from "../mounts/bind_mounts.ts";
import type { RuntimeSpec, SpecDevice } from "../spec_types.ts";
import { DEVICE_FOLDERS, type KnownDevice, readDevices } from "./device_folders.ts";
import type { ContainerEdits, DeviceNode } from "./spec_file.ts";

/** The vendors of GPUs, by whom `--gpus` is served, in this order. */
const GPU_VENDORS = ["nvidia.com", "amd.com"];

/**
 * Adds the devices of the Container Device Interface that a container asks for to its specification. Throws
 * `EngineError("invalid")` in the words of the engine whose API made the container, for devices that no file describes.
 */
export async function injectDevices(
  spec: RuntimeSpec,
  record: ContainerRecord,
  { folders = DEVICE_FOLDERS, warn }: { folders?: readonly string[]; warn: (message: string) => void },
): Promise<void> {
  const { cdiDevices = [], gpus = [], defaults } = record.spec;
  if (cdiDevices.length === 0 && gpus.length === 0) return;
  const known = await readDevices(folders, warn);
  const isDocker = defaults === "docker";
  const names = [...cdiDevices, ...gpuNames(gpus, known, isDocker)];
  const action = isDocker ? "CDI device injection failed" : "setting up CDI devices";
  const missing = names.filter((name) => !known.has(name));
  if (missing.length > 0) throw deviceError(`${action}: unresolvable CDI devices ${missing.join(", ")}`);
  const devices = names.flatMap((name) => known.get(name) ?? []);
  const files = new Set(devices.map(({ file }) => file));
  const edits = [...files].flatMap((file) => [
    file.edits,
    ...devices.filter((device) => device.file === file).map((device) => device.edits),
  ]);
  try {
    for (const edit of edits) await applyEdits(spec, edit);
  } catch (error) {
    throw deviceError(`${action}: failed to inject devices: ${messageOf(error)}`);
  }
}

function gpuNames(gpus: readonly string[], known: ReadonlyMap<string, KnownDevice>, isDocker: boolean): string[] {
  if (gpus.length === 0) return [];
  const vendors = new Set([...known.values()].map(({ file }) => file.kind.split("/", 1)[0]));
  const vendor = GPU_VENDORS.find((name) => vendors.has(name));
  if (vendor !== undefined) return gpus.map((gpu) => `${vendor}/gpu=${gpu}`);
  const detail = "could not discover GPU vendor: no known GPU vendor found in CDI specs";
  throw deviceError(
    isDocker
      ? 'could not select device driver "" with capabilities: [[gpu]]'
      : `getting CDI device names: converting GPU identifiers to CDI devices: ${detail}`,
  );
}

async function applyEdits(spec: RuntimeSpec, edits: ContainerEdits): Promise<void> {
  const { process, linux } = spec;
  const set = new Set(edits.env.map((entry) => entry.split("=", 1)[0]));
  process.env = [...process.env.filter((entry) => !set.has(entry.split("=", 1)[0])), ...edits.env];
  for (const node of edits.deviceNodes) {
    const device = await deviceOf(node, process.user);
    const { path, type, major, minor } = device;
    linux.devices = (linux.devices ?? []).filter((other) => other.path !== path);
    spec.mounts = spec.mounts.filter(({ destination }) => destination !== path);
    // An ordinary user makes pipes, and no devices: the host's own take their places.
    if (type !== "p" && isRootless()) {
      spec.mounts.push(bindMount(path, { source: node.hostPath ?? path, kind: "device" }));
    } else linux.devices.push(device);
    const access = node.permissions ?? "rwm";
    if (type !== "p") linux.resources.devices?.push({ allow: true, type, major, minor, access });
  }
  if (edits.mounts.length > 0) addMounts(spec, edits.mounts);
  for (const { stage, ...hook } of edits.hooks) {
    spec.hooks ??= {};
    (spec.hooks[stage] ??= []).push(hook);
  }
  const gids = edits.additionalGids.filter((gid) => gid !== 0);
  process.user.additionalGids = [...new Set([...process.user.additionalGids ?? [], ...gids])];
}

/** Adds mounts in place of others with the same paths, so that none covers another. */
function addMounts(spec: RuntimeSpec, mounts: ContainerEdits["mounts"]): void {
  const paths = new Set(mounts.map(({ containerPath }) => containerPath));
  const added = mounts.map(({ hostPath, containerPath, type, options }) => {
    const isBind = type === undefined || type === "bind";
    const binds = options.some((option) => option === "bind" || option === "rbind");
    return {
      source: hostPath,
      destination: containerPath,
      type: type ?? "bind",
      options: isBind && !binds ? ["rbind", ...options] : options,
    };
  });
  const depth = (path: string) => path.split("/").filter(Boolean).length;
  spec.mounts = [...spec.mounts.filter(({ destination }) => !paths.has(destination)), ...added]
    .sort((one, other) => depth(one.destination) - depth(other.destination));
}

/** Completes a device's file from that of the host. */
async function deviceOf(node: DeviceNode, user: { uid: number; gid: number }): Promise<SpecDevice> {
  const { path, hostPath = path } = node;
  const isWhole = node.type !== undefined && (node.type === "p" || (node.major ?? 0) !== 0);
  const facts = await lstat(hostPath).catch((error) => {
    if (isWhole) return undefined;
    throw new TypeError(`failed to stat CDI host device "${hostPath}": ${messageOf(error)}`);
  });
  const type = facts?.isBlockDevice() ? "b" : facts?.isCharacterDevice() ? "c" : facts?.isFIFO() ? "p" : undefined;
  if (!isWhole && type === undefined) {
    throw new TypeError(`failed to stat CDI host device "${hostPath}": not a device node`);
  }
  if (!isWhole && node.type !== undefined && node.type !== type) {
    throw new TypeError(`CDI device ("${path}", "${hostPath}"), host type mismatch (${node.type}, ${type})`);
  }
  const numbers = isWhole || !facts ? { major: node.major ?? 0, minor: node.minor ?? 0 } : deviceNumbers(facts.rdev);
  const owner = { uid: node.uid ?? (user.uid || undefined), gid: node.gid ?? (user.gid || undefined) };
  return {
    path,
    // One of the two is there: a node that names no type is not whole.
    type: node.type ?? type ?? "c",
    ...numbers,
    fileMode: node.fileMode ?? (facts && facts.mode & 0o7777),
    ...owner,
  };
}

function deviceError(text: string): EngineError {
  return new EngineError("invalid", text);
}
