/** The check of the store: what is missing, cut, changed or left over, and what can be mended of it. */
import { messageOf } from "../../oci/message_of.ts";
import type { Damage } from "../images/store/store_check.ts";
import type { UsageSources } from "./disk_usage.ts";

/** Choices of {@linkcode checkSystem}. */
export interface CheckOptions {
  /** Trust the content of blobs and layers whose size and place are right. */
  quick?: boolean;
  /**
   * Mend what loses nothing that cannot be had again: unpack layers anew, unmount what nobody uses, remove layers nothing needs
   * and damaged images no container has.
   */
  repair?: boolean;
  /** With `repair`: remove damaged containers, too, and those of damaged images. */
  lossy?: boolean;
  /** Milliseconds that a layer may be there before something needs it: a day by default. */
  unreferencedAge?: number;
  signal?: AbortSignal;
}

/** The result of {@linkcode checkSystem}: sentences on what is wrong, as it was before any repair. */
export interface CheckReport {
  /** By diff ID, and by container ID for writable layers of containers that are not known. */
  layers: Damage;
  /** By image ID, or by the hex digits of the digest of an artifact. */
  images: Damage;
  /** By container ID. */
  containers: Damage;
  removedLayers: string[];
  /** The names that each had. */
  removedImages: Map<string, string[]>;
  /** The name that each had. */
  removedContainers: Map<string, string>;
}

const DAY = 24 * 60 * 60 * 1000;

/** Checks what images and containers are made of, and mends what it may. */
export async function checkSystem(sources: UsageSources, options: CheckOptions = {}): Promise<CheckReport> {
  const { images, containers } = sources;
  const { quick = false, unreferencedAge = DAY, signal } = options;
  const store = await images.check({ quick, unreferencedAge, signal });
  const trees = await containers.files.check();
  const report: CheckReport = {
    layers: new Map(store.layers),
    images: store.images,
    containers: new Map(),
    removedLayers: [],
    removedImages: new Map(),
    removedContainers: new Map(),
  };
  for (const diffID of store.unreferenced) report.layers.set(diffID, ["no image and no container needs it"]);
  for (const id of trees.unknown) report.layers.set(id, ["it is a writable layer, and its container is not known"]);
  for (const { id, imageID, diffIDs } of containers.list({ all: true })) {
    const damage = [
      ...trees.bare.includes(id) ? ["its writable layer is missing"] : [],
      ...trees.mounted.includes(id) ? ["its tree is mounted, and nobody uses it"] : [],
      ...store.images.has(imageID) ? [`its image ${imageID} is damaged`] : [],
      ...diffIDs.flatMap((diffID) => (store.layers.get(diffID) ?? []).map((why) => `layer ${diffID}: ${why}`)),
    ];
    if (damage.length > 0) report.containers.set(id, damage);
  }
  if (!options.repair) return report;
  for (const id of trees.mounted) await containers.files.unmountLeftover(id);
  for (const id of trees.unknown) if (await containers.files.removeUnknown(id)) report.removedLayers.push(id);
  report.removedLayers.push(...await images.removeLayers(store.unreferenced));
  const mended = await mendLayers(sources, [...store.layers.keys()]);
  const damage = { broken: mended.broken, busy: mended.busy, blobs: store.blobs, bare: trees.bare };
  if (options.lossy) {
    await removeContainers(sources, report, damage);
    // The containers that kept them mounted have gone.
    const rest = await mendLayers(sources, [...mended.busy]);
    for (const diffID of rest.broken) damage.broken.add(diffID);
  }
  await removeImages(sources, report, damage);
  return report;
}

/** The damage that is left after layers were mended. */
interface Left {
  /** Diff IDs of layers that cannot be had again. */
  broken: Set<string>;
  /** Diff IDs of layers that stay as they are while a container has them mounted. */
  busy: ReadonlySet<string>;
  blobs: Damage;
  /** IDs of containers without a writable layer. */
  bare: readonly string[];
}

/** Unpacks layers anew, unless a container has one mounted. */
async function mendLayers(
  { images, containers }: UsageSources,
  diffIDs: readonly string[],
): Promise<Pick<Left, "broken"> & { busy: Set<string> }> {
  const broken = new Set<string>();
  const busy = new Set<string>();
  for (const diffID of diffIDs) {
    const users = containers.list({ all: true }).filter((record) => {
      return record.diffIDs.includes(diffID) || record.mounts.some(({ type }) => type === "image");
    });
    if (await containers.files.isAnyMounted(users.map(({ id }) => id))) busy.add(diffID);
    else if (!await images.mend(diffID)) broken.add(diffID);
  }
  return { broken, busy };
}

/** Removes damaged containers, and those of damaged images. */
async function removeContainers(sources: UsageSources, report: CheckReport, left: Left): Promise<void> {
  const { core, containers } = sources;
  const damagedImages = new Set(findDamaged(sources, left).map(({ id }) => id));
  for (const { id, name, imageID, diffIDs } of containers.list({ all: true })) {
    const isDamaged = diffIDs.some((diffID) => left.broken.has(diffID) || left.busy.has(diffID));
    if (!isDamaged && !left.bare.includes(id) && !damagedImages.has(imageID)) continue;
    try {
      await containers.remove(id, { force: true, ignore: true, depend: true, timeout: 0 });
      report.removedContainers.set(id, name);
    } catch (error) {
      core.log("warn", `Remove damaged container ${id}: ${messageOf(error)}`);
    }
  }
}

/** Removes damaged images that no container has, and damaged artifacts. */
async function removeImages(sources: UsageSources, report: CheckReport, left: Left): Promise<void> {
  const { core, images, containers } = sources;
  for (const { id, names } of findDamaged(sources, left)) {
    if (containers.usingImage(id).length > 0 || !images.exists(id)) continue;
    try {
      await images.removeMany([id], { force: true, noPrune: true });
      if (!images.exists(id)) report.removedImages.set(id, names);
    } catch (error) {
      core.log("warn", `Remove damaged image ${id}: ${messageOf(error)}`);
    }
  }
  for (const { digest, name } of images.artifacts.list()) {
    const hex = digest.replace(/^sha256:/, "");
    if (!report.images.has(hex)) continue;
    await images.artifacts.remove([digest], { ignore: true });
    report.removedImages.set(hex, [name]);
  }
}

/** The images with a part that cannot be had again without a pull. */
function findDamaged({ images }: UsageSources, { broken, blobs }: Left): ReturnType<UsageSources["images"]["list"]> {
  return images.list().filter(({ id, digest, layers, list }) => {
    const parts = list?.entries.flatMap(({ blobs = [] }) => blobs) ??
      [digest, `sha256:${id}`, ...layers.flatMap((layer) => [layer.digest, layer.diffID])];
    return parts.some((part) => broken.has(part) || blobs.has(part));
  });
}
