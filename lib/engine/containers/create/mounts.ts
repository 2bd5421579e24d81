/** A container's mounts: what was asked for, and what its image wants besides. */
import { checkName, MAX_FOLDER_NAME } from "../../text/names.ts";
import { cleanPath } from "../../../oci/clean_path.ts";
import type { ExecutionConfig } from "../../../oci/image_config.ts";
import type { MountSpec, VolumeMount } from "../../records/mount_spec.ts";
import { checkMountOptions, mountOptions } from "./mount_options.ts";
import { EngineError, invalid, reworded } from "../../errors.ts";

const MOST_MOUNTS = 1000;
/** Paths where an image gets no volume: a folder in place of what the kernel shows would hide the masks that lie over it. */
const KERNEL = /^\/(?:(?:proc|sys|dev)(?:\/.*)?)?$/s;

/**
 * Paths where nothing may be mounted that a container has written: the runtime takes the content there for the kernel's, and
 * hides other paths under the `null` it finds among the devices (CVE-2025-31133, CVE-2025-52565, CVE-2025-52881).
 */
const TRUSTED = /^\/(?:proc(?:\/.*)?|dev(?:\/(?:pts|null|console|ptmx))?)$/s;
const WRITTEN = new Set<MountSpec["type"]>(["volume", "image", "overlay", "artifact"]);

/** The sources of a container's mounts besides its request. */
export interface MountOrigins {
  /** Mounts of other containers; what was asked for at the same place replaces them. */
  inherited?: readonly MountSpec[];
  /** The mounts that the image's volumes become. */
  imageVolumes?: "anonymous" | "tmpfs" | "ignore";
}

/**
 * The mounts of a container. Volumes without a name get one from `newName` and are anonymous; so are the image's volumes,
 * where nothing else is mounted there. Throws `invalid` for paths that cannot be, and for more mounts than anybody needs.
 */
export function resolveMounts(
  asked: readonly MountSpec[],
  image: ExecutionConfig,
  newName: () => string,
  { inherited = [], imageVolumes = "anonymous" }: MountOrigins = {},
): MountSpec[] {
  const mounts = asked.map((mount) => resolveMount(mount, newName));
  const places = new Set<string>();
  for (const { destination } of mounts) {
    if (places.has(destination)) throw invalid(`${destination}: duplicate mount destination`);
    places.add(destination);
  }
  // Of two containers that mount at the same place the later one counts.
  for (const mount of [...inherited].reverse()) {
    if (places.has(mount.destination)) continue;
    places.add(mount.destination);
    mounts.push(mount);
  }
  const paths = imageVolumes === "ignore" ? [] : Object.keys(image.Volumes ?? {}).map(cleanPath);
  for (const destination of new Set(paths.filter((path) => !KERNEL.test(path)))) {
    if (places.has(destination)) continue;
    if (!isPath(destination)) throw invalid("a volume of the image is no path: it is too long, or has a NUL byte");
    mounts.push(imageVolume(destination, imageVolumes === "tmpfs", newName));
  }
  const odd = mounts.find(({ type, destination }) => WRITTEN.has(type) && TRUSTED.test(destination));
  if (odd !== undefined) throw invalid(`mount ${odd.type} at "${odd.destination}": only the host's own may be there`);
  if (mounts.length > MOST_MOUNTS) throw invalid(`more than ${MOST_MOUNTS} mounts and volumes`);
  // A mount below another one must come after it.
  return mounts.sort((a, b) => depth(a.destination) - depth(b.destination));
}

/** The names of the volumes a container mounts. */
export function volumesOf(mounts: readonly MountSpec[]): VolumeMount[] {
  return mounts.filter((mount) => mount.type === "volume");
}

/** The volumes that came from the image or without a name. */
export function anonymousVolumes(mounts: readonly MountSpec[]): VolumeMount[] {
  return volumesOf(mounts).filter(({ anonymous }) => anonymous);
}

/** Whether the kernel takes a text for a path. */
export function isPath(text: string): boolean {
  return text.length < 4096 && !text.includes("\0");
}

function imageVolume(destination: string, isTmpfs: boolean, newName: () => string): MountSpec {
  const optionsOf = (type: MountSpec["type"]) => mountOptions({ type, options: [] });
  if (isTmpfs) return { type: "tmpfs", source: "tmpfs", destination, options: optionsOf("tmpfs") };
  return { type: "volume", source: newName(), destination, options: optionsOf("volume"), anonymous: true };
}

function resolveMount(mount: MountSpec, newName: () => string): MountSpec {
  const subPath = "subPath" in mount ? mount.subPath : undefined;
  if (subPath?.split("/").includes("..")) {
    throw invalid(`the subpath "${subPath}" of ${mount.destination} must be a path within its source`);
  }
  if (!mount.destination.startsWith("/")) {
    throw invalid(`invalid container path "${mount.destination}", must be an absolute path`);
  }
  const destination = cleanPath(mount.destination);
  if (!isPath(destination) || !isPath(mount.source)) {
    throw invalid("a path of a mount is too long, or has a NUL byte");
  }
  if (destination === "/") throw invalid('invalid container path "/", cannot be the root of the container');
  if ((mount.type === "bind" || mount.type === "overlay") && !mount.source.startsWith("/")) {
    throw invalid(`invalid host path "${mount.source}", must be an absolute path`);
  }
  checkMountOptions(mount);
  const shown = mount.destination === `${destination}/` ? { shown: mount.destination } : {};
  const resolved = { ...mount, destination, ...shown, options: mountOptions(mount) };
  if (resolved.type !== "volume" || resolved.source !== "") return resolved;
  return { ...resolved, source: newName(), anonymous: true };
}

function depth(path: string): number {
  return path.split("/").length;
}

/** Throws `invalid` for a volume that cannot have its name. A source without a slash in front is one, which not everybody has in mind. */
export function checkVolumeName(name: string): void {
  try {
    checkName(name, MAX_FOLDER_NAME);
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    throw reworded(error, `volume "${name}" (a folder of the host begins with /): ${error.message}`);
  }
}
