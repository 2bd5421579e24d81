/**
 * Mounts of containers as volumes of a pod.
 *
 * @module
 */
import type { Host } from "../../ports/host_port.ts";
import type { MountSpec } from "../../records/mount_spec.ts";
import type { VolumeRecord } from "../../records/volume_record.ts";

/** A part of a document. */
export type Part = Record<string, unknown>;

/** The facts that mounts are told by. */
export interface MountFacts {
  /** The name of the pod in the document. */
  pod: string;
  /** The container's name: volumes that only one container has are called after it. */
  name: string;
  /** Destinations of volumes that the image itself asks for. */
  imageVolumes: readonly string[];
  /** The volume of that name. */
  volume(name: string): VolumeRecord | undefined;
  /** The host's files; `undefined` where there is no host. */
  files?: Pick<Host["files"], "exists" | "isFolder">;
}

/** The mounts of a container in a document. */
export interface GeneratedMounts {
  mounts: Part[];
  /** By name: containers that mount the same have one. */
  volumes: Map<string, Part>;
  /** A line for each setting that no document can hold. */
  notes: string[];
}

const PROPAGATION: Readonly<Record<string, string>> = { rslave: "HostToContainer", rshared: "Bidirectional" };

/** Options that a document says in another way, or that are what a mount has anyway. */
const KNOWN = /^(?:ro|rw|r?bind|r?private|rslave|rshared|size=.*|nosuid|nodev|tmpcopyup)$/;

/** Writes the mounts of a container. */
export async function generateMounts(mounts: readonly MountSpec[], facts: MountFacts): Promise<GeneratedMounts> {
  const made: GeneratedMounts = { mounts: [], volumes: new Map(), notes: [] };
  for (const mount of mounts) {
    if (isFromImage(mount, facts)) continue;
    const volume = await generateVolume(mount, facts);
    if (volume === undefined) {
      made.notes.push(`the mount of ${mount.destination} is left out: no document has mounts of type ${mount.type}`);
      continue;
    }
    const { name, ...source } = volume;
    made.volumes.set(name, { name, ...source });
    const lost = mount.options.filter((option) => !KNOWN.test(option));
    if (lost.length > 0) {
      made.notes.push(`options of the mount of ${mount.destination} are left out: ${lost.join(", ")}`);
    }
    const mode = mount.type === "bind" ? mount.options.find((option) => Object.hasOwn(PROPAGATION, option)) : undefined;
    made.mounts.push({
      name,
      mountPath: mount.destination,
      ...mount.options.includes("ro") && mount.type !== "image" && { readOnly: true },
      ..."subPath" in mount && mount.subPath && { subPath: mount.subPath },
      ...mode && { mountPropagation: PROPAGATION[mode] },
    });
  }
  return made;
}

/** The image asks for these by itself. */
function isFromImage(mount: MountSpec, { imageVolumes }: MountFacts): boolean {
  return mount.type === "volume" && mount.anonymous === true && imageVolumes.includes(mount.destination);
}

async function generateVolume(mount: MountSpec, facts: MountFacts): Promise<Part & { name: string } | undefined> {
  switch (mount.type) {
    case "bind":
      return await generateBind(mount.source, facts);
    case "volume":
      return mount.anonymous ? generateEmpty(mount.source, mount.destination, facts) : generateClaim(mount.source);
    case "tmpfs":
      return {
        name: `${facts.name}-${kubeName(mount.destination)}-tmp`,
        emptyDir: memoryVolume(sizeOf(mount.options)),
      };
    case "image":
      return {
        name: `${kubeName(mount.source)}-image`,
        image: { reference: mount.source, pullPolicy: "IfNotPresent" },
      };
    default:
      return undefined;
  }
}

async function generateBind(path: string, { files }: MountFacts): Promise<Part & { name: string }> {
  const name = `${kubeName(path) || "root"}-host`;
  if (files === undefined) return { name, hostPath: { path } };
  const type = !await files.exists(path) ? "DirectoryOrCreate" : await files.isFolder(path) ? "Directory" : undefined;
  return { name, hostPath: { path, ...type && { type } } };
}

function generateClaim(volume: string): Part & { name: string } {
  const claimName = kubeName(volume);
  return { name: `${claimName}-pvc`, persistentVolumeClaim: { claimName } };
}

/** A volume that goes with its container: of a pod that was played, under the name that its document had. */
function generateEmpty(
  source: string,
  destination: string,
  { pod, name: container, volume }: MountFacts,
): Part & { name: string } {
  const isOwn = source.startsWith(`${pod}-`);
  const name = isOwn ? source.slice(pod.length + 1) : `${container}-${kubeName(destination)}-empty`;
  const { type, o = "" } = volume(source)?.options ?? {};
  return { name, emptyDir: type === "tmpfs" ? memoryVolume(sizeOf(o.split(","))) : {} };
}

function memoryVolume(size: string | undefined): Part {
  return { medium: "Memory", ...size && { sizeLimit: size } };
}

/** The size in `size=64m`, in Kubernetes' units. */
function sizeOf(options: readonly string[]): string | undefined {
  const [, number, unit = ""] = options.map((option) => /^size=(\d+)([kmg]?)$/i.exec(option)).find(Boolean) ?? [];
  return number && number + (unit && `${unit.toUpperCase()}i`);
}

/** Makes a name that Kubernetes takes: small letters, digits and `-`. */
export function kubeName(text: string): string {
  return text.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-").replaceAll(/^-+|-+$/g, "").slice(0, 200);
}
