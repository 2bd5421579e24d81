import type { Engine } from "../../../lib/engine/engine.ts";
import { type CacheItem, RECORD_TYPES } from "../../../lib/engine/build/cache_usage.ts";
import type { DiskUsage, UsageKind } from "../../../lib/engine/system/disk_usage.ts";
import type { Context } from "../../../lib/rest/mod.ts";
import { networkIDs } from "../../containers/inspect.ts";
import { imagesOf } from "../../containers/list.ts";
import { isBefore } from "../../path_version.ts";
import { RequestError } from "../../request_error.ts";
import { dockerVolume } from "../../volumes/view.ts";
import type { ContainerSummary } from "../../wire/compat/container.ts";
import type { CacheRecord, DiskUsageQuery, DockerDiskUsage } from "../../wire/compat/disk_usage.ts";
import type { ImageSummary } from "../../wire/images/image.ts";
import { containerSummary } from "../containers/summary.ts";
import { dockerSummaryOf } from "../images/summary.ts";

/** Docker's names of the families; builds are asked themselves for what they keep. */
const KINDS: Readonly<Record<string, UsageKind | undefined>> = {
  image: "images",
  container: "containers",
  volume: "volumes",
  "build-cache": undefined,
};

/**
 * Tells the disk space of images, containers and volumes, as Docker does: lists before version 1.52, totals with lists since.
 * A client of 1.52 that does not ask for `verbose` may read either, and gets both.
 *
 * Source: `getDiskUsage` of moby's `daemon/server/router/system`.
 */
export async function compatDiskUsage(
  engine: Engine,
  { type, verbose = false }: DiskUsageQuery,
  { version }: Context,
): Promise<DockerDiskUsage> {
  // Older clients mean all of them, whatever they send.
  const types = isBefore(version, 1, 42) ? undefined : type;
  const unknown = types?.find((name) => !Object.hasOwn(KINDS, name));
  if (unknown !== undefined) throw new RequestError("malformed", `unknown object type: ${unknown}`);
  const asked = new Set(types ?? Object.keys(KINDS));
  const steps = engine.builds.cachedSteps();
  const usage = withoutSteps(await engine.system.diskUsage([...asked].flatMap((name) => KINDS[name] ?? [])), steps);
  const cache = asked.has("build-cache") ? (await engine.builds.cacheItems()).map(cacheRecord) : [];
  const lists = listUsage(engine, usage, version);
  const only = <T>(type: string, value: T) => asked.has(type) ? value : undefined;
  const legacy = {
    LayersSize: usage.layers,
    Images: only("image", lists.images),
    Containers: only("container", lists.containers),
    Volumes: only("volume", lists.volumes),
    BuildCache: only("build-cache", cache),
  };
  if (isBefore(version, 1, 52)) return legacy;
  return {
    ...verbose ? {} : withoutEmpty(legacy),
    ImageUsage: only("image", imageTotals(usage, lists.images)),
    ContainerUsage: only("container", containerTotals(engine, usage, lists.containers)),
    VolumeUsage: only("volume", volumeTotals(usage, lists.volumes)),
    BuildCacheUsage: only("build-cache", cacheTotals(cache)),
  };
}

/** Images that are steps of builds and nothing else are counted there: Docker has no images of them. */
function withoutSteps(usage: DiskUsage, steps: readonly CacheItem[]): DiskUsage {
  const own = new Map(steps.map((step) => [step.id, step]));
  const images = usage.images.filter(({ image: { id, names }, containers }) =>
    names.length > 0 || containers > 0 || !own.has(id)
  );
  const gone = images.length < usage.images.length ? steps.filter(({ isShared, isUsed }) => !isShared && !isUsed) : [];
  return { ...usage, images, layers: usage.layers - sumOf(gone.map(({ size }) => size)) };
}

function cacheRecord(item: CacheItem): CacheRecord {
  return {
    ID: item.id,
    ...item.parent !== undefined && { Parents: [item.parent] },
    Type: RECORD_TYPES[item.kind],
    Description: item.text,
    InUse: item.isUsed,
    Shared: item.isShared,
    Size: item.size,
    CreatedAt: new Date(item.createdAt).toISOString(),
    LastUsedAt: new Date(item.usedAt).toISOString(),
    UsageCount: item.uses,
  };
}

function cacheTotals(Items: CacheRecord[]) {
  const own = Items.filter(({ Shared }) => !Shared);
  return withoutEmpty({
    ActiveCount: Items.filter(({ InUse }) => InUse).length,
    Items,
    Reclaimable: sumOf(own.filter(({ InUse }) => !InUse).map(({ Size }) => Size)),
    TotalCount: Items.length,
    TotalSize: sumOf(own.map(({ Size }) => Size)),
  });
}

function listUsage(engine: Engine, { images, containers, volumes }: DiskUsage, version: string | undefined) {
  const sizes = new Map(images.map(({ image, shared, unique }) => [image, { shared, size: shared + unique }]));
  const summary = dockerSummaryOf(engine, version, (image) => sizes.get(image)?.shared ?? 0);
  const image = imagesOf(engine);
  const volumePath = (name: string) => engine.volumes.mountpoint(name);
  const common = { now: Date.now(), networkID: networkIDs(engine), volumePath, version };
  return {
    images: images.filter(({ image }) => image.list === undefined).map(({ image }): ImageSummary => ({
      ...summary(image),
      Size: sizes.get(image)?.size ?? 0,
    })),
    containers: containers.map(({ container, writable, whole }): ContainerSummary => {
      const health = engine.containers.health(container.id);
      const awaitsRestart = engine.containers.awaitsRestart(container);
      const facts = { image: image(container), rwSize: writable, health, awaitsRestart };
      const entry = containerSummary(container, { ...common, ...facts });
      return { ...entry, SizeRootFs: whole };
    }),
    volumes: volumes.map(({ volume, size, containers }) => ({
      ...dockerVolume(volume),
      UsageData: { RefCount: containers, Size: size },
    })),
  };
}

function imageTotals({ layers, images }: DiskUsage, Items: ImageSummary[]) {
  const unused = images.filter(({ containers }) => containers === 0);
  return withoutEmpty({
    ActiveCount: images.length - unused.length,
    Items,
    Reclaimable: sumOf(unused.map(({ unique }) => unique)),
    TotalCount: images.length,
    TotalSize: layers,
  });
}

function containerTotals(engine: Engine, { containers }: DiskUsage, Items: ContainerSummary[]) {
  const idle = containers.filter(({ container }) =>
    !ACTIVE.has(container.state.status) && !engine.containers.awaitsRestart(container)
  );
  return withoutEmpty({
    ActiveCount: containers.length - idle.length,
    Items,
    Reclaimable: sumOf(idle.map(({ writable }) => writable)),
    TotalCount: containers.length,
    TotalSize: sumOf(containers.map(({ writable }) => writable)),
  });
}

function volumeTotals({ volumes }: DiskUsage, Items: NonNullable<DockerDiskUsage["Volumes"]>) {
  const unused = volumes.filter(({ containers }) => containers === 0);
  return withoutEmpty({
    ActiveCount: volumes.length - unused.length,
    Items,
    Reclaimable: sumOf(unused.map(({ size }) => size)),
    TotalCount: volumes.length,
    TotalSize: sumOf(volumes.map(({ size }) => size)),
  });
}

/** The states of containers that a prune leaves alone. */
const ACTIVE: ReadonlySet<string> = new Set(["running", "paused", "stopping"]);

/** Leaves out zeros and empty lists, as these structures do. */
function withoutEmpty<T extends Record<string, unknown>>(value: T): Partial<T> {
  const entries = Object.entries(value).filter(([, item]) => item !== 0 && !(Array.isArray(item) && item.length === 0));
  // Only keys of the value are left.
  return Object.fromEntries(entries) as Partial<T>;
}

function sumOf(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
