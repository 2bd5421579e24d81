/** The disk space that images, containers and volumes take. */
import type { Containers } from "../containers/containers.ts";
import { type Core, hostOf } from "../core.ts";
import type { Images } from "../images/images.ts";
import type { ContainerRecord } from "../records/container_record.ts";
import type { ImageRecord } from "../records/image_record.ts";
import type { VolumeRecord } from "../records/volume_record.ts";
import type { Volumes } from "../volumes/volumes.ts";

/** The space of an image, in bytes: of its layers as they are unpacked, or as they are stored where nothing is unpacked. */
export interface ImageSpace {
  image: Readonly<ImageRecord>;
  /** Bytes of layers that other images have too. */
  shared: number;
  /** Bytes that go when the image goes. */
  unique: number;
  /** How many containers are made of it. */
  containers: number;
}

/** The space of a container, in bytes. */
export interface ContainerSpace {
  container: ContainerRecord;
  /** Its writable layer. */
  writable: number;
  /** Its writable layer and the layers below. */
  whole: number;
}

/** The space of a volume, in bytes. */
export interface VolumeSpace {
  volume: VolumeRecord;
  size: number;
  /** How many containers have it. */
  containers: number;
}

/** The result of {@linkcode measureDisk}. A family that was not asked for is empty. */
export interface DiskUsage {
  /** Bytes of all images' layers, each layer once. */
  layers: number;
  images: ImageSpace[];
  containers: ContainerSpace[];
  volumes: VolumeSpace[];
}

/** The families whose space is measured. */
export type UsageKind = "images" | "containers" | "volumes";

/** The parts of the engine that take space. */
export interface UsageSources {
  core: Pick<Core, "ports" | "log" | "locks">;
  images: Images;
  containers: Containers;
  volumes: Volumes;
}

/**
 * Measures the space that is taken. Layers were measured when they were unpacked, and never change; the files that containers
 * wrote and those of volumes are counted now, many trees at a time.
 */
export async function measureDisk(sources: UsageSources, kinds: ReadonlySet<UsageKind>): Promise<DiskUsage> {
  // Begun together: what both ask the host for is found once.
  const [containers, volumes] = await Promise.all([
    kinds.has("containers") ? measureContainers(sources) : [],
    kinds.has("volumes") ? measureVolumes(sources) : [],
  ]);
  const images = kinds.has("images") ? measureImages(sources) : { layers: 0, images: [] };
  return { ...images, containers, volumes };
}

function measureImages({ images, containers }: UsageSources): Pick<DiskUsage, "layers" | "images"> {
  const counts = new Map<string, number>();
  for (const { imageID } of containers.list({ all: true })) counts.set(imageID, (counts.get(imageID) ?? 0) + 1);
  const sizes = new Map<string, number>();
  const usages = images.list().map((image): ImageSpace => {
    const usage = { image, shared: 0, unique: 0, containers: counts.get(image.id) ?? 0 };
    for (const [diffID, size] of layerSizes(images, image)) {
      sizes.set(diffID, size);
      usage[images.sharers(diffID) > 1 ? "shared" : "unique"] += size;
    }
    return usage;
  });
  return { layers: sumOf(sizes.values()), images: usages };
}

async function measureContainers({ core, images, containers }: UsageSources): Promise<ContainerSpace[]> {
  const records = containers.list({ all: true });
  const writable = await hostOf(core)?.layers.usages(records.map(({ id }) => id)) ?? [];
  const known = new Map(images.list().map((image) => [image.id, image]));
  return records.flatMap((container, index) => {
    // Removed while the trees were counted.
    if (!containers.exists(container.id)) return [];
    const image = known.get(container.imageID);
    const base = image === undefined ? 0 : sumOf(layerSizes(images, image).values());
    const own = writable[index] ?? 0;
    return [{ container, writable: own, whole: own + base }];
  });
}

async function measureVolumes({ volumes }: UsageSources): Promise<VolumeSpace[]> {
  const records = volumes.list();
  const sizes = await volumes.sizes(records.map(({ name }) => name));
  return records.flatMap((volume, index) => {
    if (!volumes.exists(volume.name)) return [];
    return [{ volume, size: sizes[index], containers: volumes.usersOf(volume.name).length }];
  });
}

/** Each layer once: an image may have two that are the same. */
function layerSizes(images: Images, { layers }: ImageRecord): Map<string, number> {
  return new Map(layers.map(({ diffID, size }) => [diffID, images.layerSize(diffID) ?? size]));
}

function sumOf(values: Iterable<number>): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}
