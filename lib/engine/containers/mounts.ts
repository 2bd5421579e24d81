/** A container's mounts: what was asked for, and what its image wants besides. */
import type { ExecutionConfig } from "../../oci/image_config.ts";
import type { MountSpec } from "../container_record.ts";
import { invalid } from "./failures.ts";
import { mountOptions } from "./mount_options.ts";

/**
 * The mounts of a container. Volumes without a name get one from `newName` and are anonymous; so are the image's volumes,
 * where nothing else is mounted there. Throws `invalid` for paths that cannot be.
 */
export function resolveMounts(
  asked: readonly MountSpec[],
  image: ExecutionConfig,
  newName: () => string,
): MountSpec[] {
  const mounts = asked.map((mount) => resolveMount(mount, newName));
  const places = new Set<string>();
  for (const { destination } of mounts) {
    if (places.has(destination)) throw invalid(`${destination}: duplicate mount destination`);
    places.add(destination);
  }
  const imageVolumes = Object.keys(image.Volumes ?? {}).map(cleanPath).filter((path) => path !== "/");
  for (const destination of new Set(imageVolumes)) {
    if (places.has(destination)) continue;
    const options = mountOptions({ type: "volume", options: [] });
    mounts.push({ type: "volume", source: newName(), destination, options, anonymous: true });
  }
  // A mount below another one must come after it.
  return mounts.sort((a, b) => depth(a.destination) - depth(b.destination));
}

/** The names of the volumes a container mounts. */
export function volumesOf(mounts: readonly MountSpec[]): MountSpec[] {
  return mounts.filter(({ type }) => type === "volume");
}

/** An absolute path without `.`, `..`, doubled and trailing slashes. */
export function cleanPath(path: string): string {
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return `/${parts.join("/")}`;
}

function resolveMount(mount: MountSpec, newName: () => string): MountSpec {
  if (!mount.destination.startsWith("/")) {
    throw invalid(`invalid container path "${mount.destination}", must be an absolute path`);
  }
  const destination = cleanPath(mount.destination);
  if (destination === "/") throw invalid('invalid container path "/", cannot be the root of the container');
  if (mount.type === "bind" && !mount.source.startsWith("/")) {
    throw invalid(`invalid host path "${mount.source}", must be an absolute path`);
  }
  const resolved = { ...mount, destination, options: mountOptions(mount) };
  if (mount.type !== "volume" || mount.source !== "") return resolved;
  return { ...resolved, source: newName(), anonymous: true };
}

function depth(path: string): number {
  return path.split("/").length;
}
