/**
 * The build cache as users see it: the space that its steps take, and what of it goes.
 *
 * @module
 */
import { EngineError } from "../errors.ts";
import { isCode } from "../containers/failures.ts";
import type { Images } from "../images/images.ts";
import type { ImageRecord } from "../records/image_record.ts";
import type { Volumes } from "../volumes/volumes.ts";
import type { BuildCache, CachedImage } from "./build_cache.ts";
import type { KeptFolder, KeptFolders } from "./folders/kept_folders.ts";

/** The result of a step, a folder of `RUN --mount=type=cache`, or one of a caller, that is kept. */
export interface CacheItem {
  kind: "step" | "mount" | "folder";
  /** The ID of the step's image; the name of the mount's volume; the digest of the key of a caller's folder. */
  id: string;
  /** The image that it was made on, where that is of the cache too. */
  parent?: string;
  /** The step's words in the history; the command that the mount was made for; the caller's name of a folder. */
  text: string;
  /** Bytes of the layer that the step added, unpacked; of the files of a folder. */
  size: number;
  /** Whether an image with a name, or one that no build made, needs it too: to forget it frees nothing. */
  isShared: boolean;
  /** Whether a container has it. */
  isUsed: boolean;
  /** Milliseconds since the epoch. */
  createdAt: number;
  usedAt: number;
  /** How often it was taken since this server began. */
  uses: number;
}

/** BuildKit's names of the kinds. */
export const RECORD_TYPES: Readonly<Record<CacheItem["kind"], string>> = {
  step: "regular",
  mount: "exec.cachemount",
  folder: "source.local",
};

/** The items that a prune takes; all of these must hold. */
export interface CachePruneOptions {
  /** Also those that images need: builds after it make them anew. */
  all?: boolean;
  /** Only these. */
  ids?: readonly string[];
  /** Only those that nobody has used since: milliseconds since the epoch. */
  unusedSince?: number;
  /** Bytes that may stay: what was used last is kept. */
  keep?: number;
}

/** The items that a prune has removed; `size` is what each of them has freed. */
export interface CachePruneResult {
  items: CacheItem[];
  bytes: number;
}

/** The places of what a build cache has. */
export interface CacheParts {
  cache: BuildCache;
  images: Images;
  volumes: Volumes;
  folders: KeptFolders;
}

/** Tells of each item of the cache: steps, the latest first, mounts by name, and folders of callers, the latest first. */
export async function measureCache({ cache, images, volumes, folders }: CacheParts): Promise<CacheItem[]> {
  return [...measureSteps(cache, images), ...await measureMounts(volumes), ...folders.list().map(folderItem)];
}

function folderItem({ id, name, size, createdAt, usedAt, uses, isUsed }: KeptFolder): CacheItem {
  const text = `local source for ${name}`;
  return { kind: "folder", id, text, size, isShared: false, isUsed, createdAt, usedAt, uses };
}

async function measureMounts(volumes: Volumes): Promise<CacheItem[]> {
  const kept = volumes.caches();
  const sizes = await volumes.sizes(kept.map(({ name }) => name));
  return kept.flatMap(({ name, created, cache }, index): CacheItem[] =>
    cache === undefined ? [] : [{
      kind: "mount",
      id: name,
      text: cache.text,
      size: sizes[index],
      isShared: false,
      isUsed: volumes.isCacheUsed(name),
      createdAt: Date.parse(created),
      usedAt: cache.usedAt,
      uses: cache.uses,
    }]
  );
}

/** Tells of the steps alone, which are counted without a look at any file. */
export function measureSteps(cache: BuildCache, images: Images): CacheItem[] {
  const cached = cache.images();
  const needed = neededBy(cached, images);
  const isCached = new Set(cached.map(({ image }) => image));
  return cached.map(({ image, base, time, usedAt, uses }) => {
    const record = images.resolve(image);
    const layer = ownLayer(record);
    return {
      kind: "step",
      id: image,
      ...base !== undefined && isCached.has(base) && { parent: base },
      text: record.config.history?.at(-1)?.created_by ?? "",
      size: layer === undefined ? 0 : images.layerSize(layer.diffID) ?? layer.size,
      isShared: needed.images.has(image) || (layer !== undefined && needed.layers.has(layer.diffID)),
      isUsed: images.users.of(image).length > 0,
      createdAt: time,
      usedAt,
      uses,
    };
  });
}

/** Forgets steps, and removes their images that nothing else needs, and mounts and folders that no build has now. */
export async function pruneCache(parts: CacheParts, options: CachePruneOptions = {}): Promise<CachePruneResult> {
  const { cache, images, volumes, folders } = parts;
  const chosen = chooseItems(await measureCache(parts), options);
  const ids = new Set(chosen.map(({ id }) => id));
  await cache.forget(cache.images().flatMap(({ image, keys }) => ids.has(image) ? keys : []));
  const freed: CacheItem[] = [];
  for (const item of chosen) {
    if (item.kind === "step") freed.push({ ...item, size: await removeStep(images, item.id) });
    else if (await (item.kind === "mount" ? removeMount(volumes, item.id) : folders.forget(item.id))) freed.push(item);
  }
  return { items: freed, bytes: sumOf(freed) };
}

/** The items that a prune takes, of all that {@linkcode measureCache} tells of. */
export function chooseItems(items: readonly CacheItem[], options: CachePruneOptions): CacheItem[] {
  const { all = false, ids, unusedSince = Infinity, keep = 0 } = options;
  const free = items.filter(({ id, isShared, isUsed, usedAt }) =>
    (all || !isShared) && !isUsed && usedAt < unusedSince && (ids?.includes(id) ?? true)
  );
  // Without a bound everything goes, steps without a layer too.
  if (keep === 0) return free;
  let over = sumOf(items.filter(({ isShared }) => !isShared)) - keep;
  return free.sort((a, b) => a.usedAt - b.usedAt || a.createdAt - b.createdAt).filter(({ size, isShared }) => {
    if (over <= 0) return false;
    if (!isShared) over -= size;
    return true;
  });
}

/** Tells whether it went. */
async function removeMount(volumes: Volumes, name: string): Promise<boolean> {
  try {
    await volumes.remove(name);
    return true;
  } catch (error) {
    // A command took it meanwhile, or another prune was faster.
    if (isCode(error, "in_use", "no_such_volume")) return false;
    throw error;
  }
}

/** Returns the bytes that went. */
async function removeStep(images: Images, id: string): Promise<number> {
  if (!images.exists(id) || images.resolve(id).names.length > 0) return 0;
  try {
    const { removed } = await images.remove(id, { noPrune: true });
    return sumOf(removed);
  } catch (error) {
    // Another image is built on it, or a container uses it.
    if (error instanceof EngineError) return 0;
    throw error;
  }
}

/** The images of the cache, and the layers, that are needed besides. */
function neededBy(cached: readonly CachedImage[], images: Images): { images: Set<string>; layers: Set<string> } {
  const bases = new Map(cached.map(({ image, base }) => [image, base]));
  const kept = images.list().filter(({ id, names }) => names.length > 0 || !bases.has(id));
  const needed = new Set<string>();
  for (const { id } of kept) {
    for (let at: string | undefined = id; at !== undefined && bases.has(at) && !needed.has(at); at = bases.get(at)) {
      needed.add(at);
    }
  }
  return { images: needed, layers: new Set(kept.flatMap(({ layers }) => layers.map(({ diffID }) => diffID))) };
}

/** The layer that an image's last step added; `undefined` where it changed no file. */
function ownLayer(
  { config: { history = [] }, layers }: Readonly<ImageRecord>,
): ImageRecord["layers"][number] | undefined {
  return history.at(-1)?.empty_layer ? undefined : layers.at(-1);
}

function sumOf(entries: readonly { size: number }[]): number {
  return entries.reduce((sum, { size }) => sum + size, 0);
}
