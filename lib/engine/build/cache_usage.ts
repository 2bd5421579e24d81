/**
 * The build cache as users see it: the space that its steps take, and what of it goes.
 *
 * @module
 */
import { EngineError } from "../errors.ts";
import type { Images } from "../images/images.ts";
import type { ImageRecord } from "../records/image_record.ts";
import type { BuildCache, CachedImage } from "./build_cache.ts";

/** A step whose result is kept. */
export interface CachedStep {
  /** The ID of its image. */
  image: string;
  /** The image that it was made on, where that is of the cache too. */
  parent?: string;
  /** The step's words in the history. */
  text: string;
  /** Bytes of the layer that it added, unpacked. */
  size: number;
  /** Whether an image with a name, or one that no build made, needs it too: to forget it frees nothing. */
  isShared: boolean;
  /** Whether a container is made of it. */
  isUsed: boolean;
  /** Milliseconds since the epoch. */
  createdAt: number;
  usedAt: number;
  /** How often it was taken since this server began. */
  uses: number;
}

/** The steps that a prune takes; all of these must hold. */
export interface CachePruneOptions {
  /** Also those that images need: builds after it make them anew. */
  all?: boolean;
  /** Only these images' steps. */
  images?: readonly string[];
  /** Only those that nobody has used since: milliseconds since the epoch. */
  unusedSince?: number;
  /** Bytes that may stay: what was used last is kept. */
  keep?: number;
}

/** The steps that a prune has forgotten; `size` is what each of them has freed. */
export interface CachePruneResult {
  steps: CachedStep[];
  bytes: number;
}

/** Tells of each step of the cache, the latest first. */
export function measureCache(cache: BuildCache, images: Images): CachedStep[] {
  const cached = cache.images();
  const needed = neededBy(cached, images);
  const isCached = new Set(cached.map(({ image }) => image));
  return cached.map(({ image, base, time, usedAt, uses }) => {
    const record = images.resolve(image);
    const layer = ownLayer(record);
    return {
      image,
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

/** Forgets steps, and removes their images that nothing else needs. */
export async function pruneCache(
  cache: BuildCache,
  images: Images,
  options: CachePruneOptions = {},
): Promise<CachePruneResult> {
  const steps = chooseSteps(measureCache(cache, images), options);
  const chosen = new Set(steps.map(({ image }) => image));
  await cache.forget(cache.images().flatMap(({ image, keys }) => chosen.has(image) ? keys : []));
  const freed: CachedStep[] = [];
  for (const step of steps) freed.push({ ...step, size: await removeStep(images, step.image) });
  return { steps: freed, bytes: sumOf(freed) };
}

/** The steps that a prune takes, of all that {@linkcode measureCache} tells of. */
export function chooseSteps(steps: readonly CachedStep[], options: CachePruneOptions): CachedStep[] {
  const { all = false, images, unusedSince = Infinity, keep = 0 } = options;
  const free = steps.filter(({ image, isShared, isUsed, usedAt }) =>
    (all || !isShared) && !isUsed && usedAt < unusedSince && (images?.includes(image) ?? true)
  );
  // Without a bound everything goes, steps without a layer too.
  if (keep === 0) return free;
  let over = sumOf(steps.filter(({ isShared }) => !isShared)) - keep;
  return free.sort((a, b) => a.usedAt - b.usedAt || a.createdAt - b.createdAt).filter(({ size, isShared }) => {
    if (over <= 0) return false;
    if (!isShared) over -= size;
    return true;
  });
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
