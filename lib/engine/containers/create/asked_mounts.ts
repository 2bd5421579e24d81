/** The mounts that a request's mounts stand for, before they are put in order. */
import type { MountSpec } from "../../records/mount_spec.ts";
import { type Context, hostOf } from "../context.ts";
import { invalid } from "../failures.ts";

/** Looks up what mounts name: images, artifacts, the paths that a pattern fits. */
export async function askedMounts(context: Context, mounts: readonly MountSpec[]): Promise<MountSpec[]> {
  return (await Promise.all(mounts.map((mount) => asked(context, mount)))).flat();
}

async function asked(context: Context, mount: MountSpec): Promise<MountSpec[]> {
  if (mount.glob) return await pathsOf(context, mount);
  if (mount.type === "image") return [withImage(context, mount)];
  // Only that it is there: which files it has is seen at each start.
  if (mount.type === "artifact") context.core.images.artifacts.resolve(mount.source);
  return [mount];
}

/** Every path as a mount of its own, below the destination, or at the same place where there is none. */
async function pathsOf(context: Context, { glob: _, ...mount }: MountSpec): Promise<MountSpec[]> {
  const sources = await hostOf(context).files.glob(mount.source);
  if (sources.length === 0) throw invalid(`no file paths matching glob "${mount.source}"`);
  return sources.map((source) => {
    const name = source.slice(source.lastIndexOf("/") + 1);
    return { ...mount, source, destination: mount.destination === "" ? source : `${mount.destination}/${name}` };
  });
}

/** An image is taken as it is now: its name may pass on to another one. */
function withImage({ core }: Context, mount: MountSpec): MountSpec {
  const { id, layers } = core.images.resolve(mount.source);
  return { ...mount, image: { id, diffIDs: layers.map(({ diffID }) => diffID) } };
}

/** Throws `invalid` where a mount's source is not there, unless it is to be made. */
export async function requireSource(context: Context, { source, makeSource }: MountSpec): Promise<void> {
  const { files } = hostOf(context);
  if (await files.exists(source)) return;
  if (makeSource) return await files.makeFolder(source);
  const sentinel = "no such file or directory";
  throw invalid(`statfs ${source}`, sentinel);
}
