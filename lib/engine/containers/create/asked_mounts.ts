/** The mounts that a request's mounts stand for, before they are put in order. */
import type {
  BindMount,
  BindRequest,
  ImageMount,
  ImageRequest,
  MountRequest,
  MountSpec,
} from "../../records/mount_spec.ts";
import type { Context } from "../context.ts";
import { requireHost } from "../../core.ts";
import { invalid } from "../../errors.ts";

/** Looks up what mounts name: images, artifacts, the paths that a pattern fits. */
export async function askedMounts(context: Context, mounts: readonly MountRequest[]): Promise<MountSpec[]> {
  return (await Promise.all(mounts.map((mount) => asked(context, mount)))).flat();
}

async function asked(context: Context, mount: MountRequest): Promise<MountSpec[]> {
  if (mount.type === "bind") return await bindsOf(context, mount);
  if (mount.type === "image") return [withImage(context, mount)];
  // Only that it is there: which files it has is seen at each start.
  if (mount.type === "artifact") context.core.images.artifacts.resolve(mount.source);
  return [mount];
}

/** Every path that a pattern fits is a mount of its own, below the destination, or at the same place where there is none. */
async function bindsOf(context: Context, { glob, makeSource: _, ...mount }: BindRequest): Promise<BindMount[]> {
  if (!glob) return [mount];
  const sources = await requireHost(context.core).files.glob(mount.source);
  if (sources.length === 0) throw invalid(`no file paths matching glob "${mount.source}"`);
  return sources.map((source) => {
    const name = source.slice(source.lastIndexOf("/") + 1);
    return { ...mount, source, destination: mount.destination === "" ? source : `${mount.destination}/${name}` };
  });
}

/** An image is taken as it is now: its name may pass on to another one. */
function withImage({ core }: Context, mount: ImageRequest): ImageMount {
  const { id, layers } = core.images.resolve(mount.source);
  return { ...mount, image: { id, diffIDs: layers.map(({ diffID }) => diffID) } };
}

/** The sources that are to be made folders where they are missing. */
export function sourcesToMake(mounts: readonly MountRequest[]): Set<string> {
  return new Set(mounts.flatMap((mount) => mount.type === "bind" && mount.makeSource ? [mount.source] : []));
}

/** Throws `invalid` where a mount's source is not there, unless it is to be made. */
export async function requireSource(context: Context, source: string, makeSource: boolean): Promise<void> {
  const { files } = requireHost(context.core);
  if (await files.exists(source)) return;
  if (makeSource) return await files.makeFolder(source);
  const sentinel = "no such file or directory";
  throw invalid(`statfs ${source}`, sentinel);
}
