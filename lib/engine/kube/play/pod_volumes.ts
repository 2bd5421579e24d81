/**
 * The volumes of a pod, made and filled, and the mounts of its containers.
 *
 * @module
 */
import { imageMount, plainMount, volumeMount } from "../../containers/request/mount_specs.ts";
import { EngineError } from "../../errors.ts";
import type { Host } from "../../ports/host_port.ts";
import type { MountRequest } from "../../records/mount_spec.ts";
import { type TarFile, tarStream } from "../../../oci/tar/tar_entries.ts";
import type { Volumes } from "../../volumes/volumes.ts";
import type { ContainerPlan, FieldPart, FilePart, MountPlan, PodPlan, VolumePlan } from "../pod_plan.ts";
import type { ValueSources } from "./play_options.ts";
import { type PodIdentity, resolveValue, valuesOf } from "./values.ts";

/** The services that volumes are made with. */
export interface VolumeMakers {
  volumes: Volumes;
  files: Host["files"];
}

/** The volumes of a pod that are there; those that are optional and have nothing are left out. */
export type MadeVolumes = ReadonlyMap<string, VolumePlan>;

/**
 * Makes what the volumes of a pod need before its containers: folders and files of the host, and files of config maps, secrets and
 * fields. Throws `invalid` for a path of the host that is not what it must be, and for keys that are not there.
 */
export async function makePodVolumes(
  makers: VolumeMakers,
  plan: PodPlan,
  facts: PodIdentity,
  sources: ValueSources,
): Promise<MadeVolumes> {
  const made = new Map<string, VolumePlan>();
  for (const [name, volume] of plan.volumes) {
    const fail = (why: string) => new EngineError("invalid", `failed to create volume "${name}": ${why}`);
    if (volume.kind === "bind") await preparePath(makers.files, volume, fail);
    if (volume.kind === "files") {
      const files = await gatherFiles(volume, facts, sources, fail);
      if (files === undefined) continue;
      await fillVolume(makers.volumes, volume.name, files, plan.fsGroup);
    }
    made.set(name, volume);
  }
  return made;
}

async function preparePath(
  files: Host["files"],
  { source, make, must }: VolumePlan & { kind: "bind" },
  fail: (why: string) => Error,
): Promise<void> {
  const exists = await files.exists(source);
  if (!exists && make === "folder") return await files.makeFolder(source);
  if (!exists && make === "file") return await files.writeText(source, "");
  if (!exists) throw fail(`path ${source}: no such file or directory`);
  const kind = make ?? must;
  const isFolder = await files.isFolder(source);
  if (kind === "folder" && !isFolder) throw fail(`path ${source} is not a directory`);
  if (kind === "file" && isFolder) throw fail(`path ${source} is a directory, and no file`);
}

async function gatherFiles(
  volume: VolumePlan & { kind: "files" },
  facts: PodIdentity,
  sources: ValueSources,
  fail: (why: string) => Error,
): Promise<TarFile[] | undefined> {
  const files = new Map<string, TarFile>();
  let isThere = volume.parts.length === 0;
  for (const part of volume.parts) {
    const found = part.kind === "field" ? await fieldFile(part, facts, sources) : await mapFiles(part, sources, fail);
    if (found === undefined) continue;
    isThere = true;
    for (const file of found) files.set(file.path, { ...file, mode: file.mode ?? volume.mode });
  }
  return isThere ? [...files.values()] : undefined;
}

async function fieldFile(
  { path, value, mode }: FieldPart,
  pod: PodIdentity,
  sources: ValueSources,
): Promise<TarFile[]> {
  const text = await resolveValue(value, { pod, amounts: { limits: {}, requests: {} }, sources }, path) ?? "";
  const content = new TextEncoder().encode(text);
  return [{ path, size: content.length, content, mode }];
}

async function mapFiles(
  { kind, name, optional, items }: FilePart,
  sources: ValueSources,
  fail: (why: string) => Error,
): Promise<TarFile[] | undefined> {
  const values = await valuesOf(kind, name, sources);
  if (values === undefined) {
    if (optional) return undefined;
    throw fail(
      kind === "configMap" ? `no such ConfigMap "${name}"` : `no secret with name or id "${name}": no such secret`,
    );
  }
  const wanted = items ?? [...values.keys()].map((key) => ({ key, path: key, mode: undefined }));
  return wanted.flatMap(({ key, path, mode }) => {
    const content = values.get(key);
    // A key is a name in its folder, and leads nowhere else.
    if (content !== undefined && isFileName(items ? "x" : key)) return [{ path, size: content.length, content, mode }];
    if (content !== undefined) throw fail(`the key ${JSON.stringify(key)} of "${name}" is no file name`);
    if (optional) return [];
    throw fail(`there is no key "${key}" in ${kind === "configMap" ? "ConfigMap" : "secret"} "${name}"`);
  });
}

function isFileName(key: string): boolean {
  return /^[-._a-zA-Z0-9]{1,253}$/.test(key) && key !== "." && key !== "..";
}

async function fillVolume(volumes: Volumes, name: string, files: readonly TarFile[], group?: number): Promise<void> {
  await volumes.create({ name, ignoreIfExists: true, ...group !== undefined && { gid: group } });
  const folders = new Set<string>();
  for (const { path } of files) {
    const parts = path.split("/").slice(0, -1);
    parts.forEach((_, index) => folders.add(`${parts.slice(0, index + 1).join("/")}/`));
  }
  const all: TarFile[] = [
    ...[...folders].map((path) => ({ path, size: 0, content: new Uint8Array(), mode: 0o755 })),
    ...files,
  ];
  await volumes.import(
    name,
    tarStream((async function* () {
      yield* all;
    })()),
  );
}

/** Returns the mounts of a container. */
export function mountsOf(container: ContainerPlan, pod: PodPlan, volumes: MadeVolumes): MountRequest[] {
  return container.mounts.flatMap((mount) => {
    const volume = volumes.get(mount.volume);
    return volume === undefined ? [] : [mountOf(mount, volume, pod)];
  });
}

function mountOf(
  { volume: name, destination, options, subPath }: MountPlan,
  volume: VolumePlan,
  pod: PodPlan,
): MountRequest {
  const place = { destination, options };
  const part = subPath !== undefined && { subPath };
  switch (volume.kind) {
    case "bind":
      return { ...plainMount({ type: "bind", source: volume.source, ...place }), ...part };
    case "claim":
    case "files":
      return volumeMount({ source: volume.name, ...place, ...part });
    case "image":
      return imageMount({ source: volume.reference, destination, ...part });
    case "memory": {
      const size = volume.bytes === undefined ? [] : [`size=${volume.bytes}`];
      if (!isShared(name, pod) && subPath === undefined) {
        return plainMount({ type: "tmpfs", source: "", destination, options: [...options, ...size] });
      }
      const making = { options: { type: "tmpfs", device: "tmpfs", ...size.length > 0 && { o: size[0] } } };
      return volumeMount({ source: ownVolume(pod, name), anonymous: true, making, ...place, ...part });
    }
    default:
      return volumeMount({ source: ownVolume(pod, name), anonymous: true, ...place, ...part });
  }
}

/** The name of a volume that lives as long as its pod. */
function ownVolume({ name }: PodPlan, volume: string): string {
  return `${name}-${volume}`;
}

/** Whether several mounts mean the same folder. */
function isShared(volume: string, { containers, initContainers }: PodPlan): boolean {
  const mounts = [...initContainers, ...containers].flatMap(({ mounts }) => mounts);
  return mounts.filter((mount) => mount.volume === volume).length > 1;
}
