/** Checks of what images are made of, and repairs of what can be made anew. */
import { messageOf } from "../../../oci/message_of.ts";
import { inParallel } from "../../concurrency.ts";
import { hostOf } from "../../core.ts";
import { artifactBlobs, type ArtifactRecord } from "../../records/artifact_record.ts";
import type { ContainerRecord } from "../../records/container_record.ts";
import type { ImageRecord } from "../../records/image_record.ts";
import type { ImageParts } from "../ingest/ingest.ts";
import { unpackLayer } from "../ingest/unpack.ts";

/** How thoroughly a store is checked. */
export interface StoreCheckOptions {
  /** Trust the content of blobs and layers whose size and place are right. */
  quick: boolean;
  /** Milliseconds that a layer may be there before something needs it. */
  unreferencedAge: number;
  signal?: AbortSignal;
}

/** Damage by what has it: a sentence for each. */
export type Damage = Map<string, string[]>;

/** The result of {@linkcode checkStore}. */
export interface StoreDamage {
  /** By digest. */
  blobs: Damage;
  /** By diff ID: layers that images or containers need. */
  layers: Damage;
  /** Diff IDs of layers that nothing has needed for too long. */
  unreferenced: string[];
  /** By image ID, or by the hex digits of the digest of an artifact's manifest. */
  images: Damage;
}

/** Blobs and layers that are read at once. */
const AT_ONCE = 2;

/** Checks every blob and layer that a record names, and finds layers that none does. */
export async function checkStore(parts: ImageParts, options: StoreCheckOptions): Promise<StoreDamage> {
  const { core, catalogue } = parts;
  const images = catalogue.values();
  const artifacts = core.state.table<ArtifactRecord>("artifacts").values();
  const sizes = new Map<string, number | undefined>();
  for (const digest of [...images.flatMap(blobsOf), ...artifacts.flatMap(artifactBlobs)]) sizes.set(digest, undefined);
  for (const { digest, size } of images.flatMap(({ layers }) => layers)) sizes.set(digest, size);
  const blobs = await findDamage([...sizes.keys()], (digest) => checkBlob(parts, digest, sizes.get(digest), options));
  const diffIDs = new Map(images.flatMap(({ layers }) => layers).map(({ diffID, digest }) => [diffID, digest]));
  for (const { diffIDs: own } of core.state.table<ContainerRecord>("containers").values()) {
    for (const diffID of own) if (!diffIDs.has(diffID)) diffIDs.set(diffID, "");
  }
  const layers = await findDamage([...diffIDs.keys()], (diffID) => {
    const digest = diffIDs.get(diffID) ?? "";
    return checkLayer(parts, { diffID, digest: digest === "" || blobs.has(digest) ? undefined : digest }, options);
  });
  const damaged: Damage = new Map();
  const note = (id: string, digests: Iterable<string>, found: Damage, kind: string) => {
    const texts = [...new Set(digests)].flatMap((digest) =>
      (found.get(digest) ?? []).map((why) => `${kind} ${digest}: ${why}`)
    );
    if (texts.length > 0) damaged.set(id, [...damaged.get(id) ?? [], ...texts]);
  };
  for (const image of images) {
    note(image.id, blobsOf(image), blobs, "blob");
    note(image.id, image.layers.map(({ diffID }) => diffID), layers, "layer");
  }
  for (const artifact of artifacts) {
    note(artifact.digest.replace(/^sha256:/, ""), artifactBlobs(artifact), blobs, "blob");
  }
  return { blobs, layers, unreferenced: await findUnreferenced(parts, options), images: damaged };
}

/**
 * Unpacks a damaged layer anew from its blob, where that is sound. The caller knows that no tree with it is mounted.
 *
 * @param blob The blob of a layer that no image has
 */
export async function mendLayer(
  { core, content, catalogue }: ImageParts,
  diffID: string,
  blob?: string,
): Promise<boolean> {
  const layers = hostOf(core)?.layers;
  const layer = catalogue.values().flatMap((image) => image.layers).find((each) => each.diffID === diffID);
  const digest = layer?.digest ?? blob;
  if (layers === undefined || digest === undefined) return false;
  const replacing = {
    isUsers: layers.isUsers,
    apply: (id: string | (() => Promise<string>), tar: ReadableStream<Uint8Array>) => {
      return layers.apply(id, tar, { replace: true });
    },
  };
  try {
    await content.with(`layer:${diffID}`, async () => {
      await using _ = await content.syncs.note(diffID, digest);
      await unpackLayer(core.ports, replacing, { digest, diffID }, { limits: core.options.limits });
    });
    return true;
  } catch (error) {
    core.log("warn", `Mend layer ${diffID}: ${messageOf(error)}`);
    return false;
  }
}

async function findDamage(names: readonly string[], check: (name: string) => Promise<string[]>): Promise<Damage> {
  const found = await inParallel(names, AT_ONCE, async (name): Promise<[string, string[]]> => {
    return [name, await check(name).catch((error) => [messageOf(error)])];
  });
  return new Map(found.filter(([, damage]) => damage.length > 0));
}

/** The blobs without which an image cannot be pushed, saved or unpacked again. */
function blobsOf({ id, digest, layers, list }: ImageRecord): string[] {
  if (list !== undefined) return list.entries.flatMap(({ blobs = [] }) => blobs);
  return [digest, `sha256:${id}`, ...layers.map((layer) => layer.digest)];
}

async function checkBlob(
  { core: { ports } }: ImageParts,
  digest: string,
  size: number | undefined,
  { quick, signal }: StoreCheckOptions,
): Promise<string[]> {
  signal?.throwIfAborted();
  const found = await ports.blobs.stat(digest);
  if (found === undefined) return ["it is missing"];
  if (size !== undefined && found.size !== size) return [`it has ${found.size} bytes, and should have ${size}`];
  if (quick) return [];
  const hash = ports.codec.hash();
  for await (const bytes of await ports.blobs.open(digest) ?? []) {
    await hash.update(bytes);
    signal?.throwIfAborted();
  }
  const actual = await hash.digest();
  return actual === digest ? [] : [`its content has the digest ${actual}`];
}

/** A layer without a sound blob is only looked at from outside. */
async function checkLayer(
  { core }: ImageParts,
  { diffID, digest }: { diffID: string; digest?: string },
  { quick, signal }: StoreCheckOptions,
): Promise<string[]> {
  const layers = hostOf(core)?.layers;
  if (layers === undefined) return [];
  const state = await layers.inspect(diffID);
  if (state === undefined) return ["it is missing"];
  if (state.damage !== undefined) return [state.damage];
  if (quick || digest === undefined) return [];
  let differences: string[] = [];
  const comparing = {
    isUsers: layers.isUsers,
    apply: async (_: unknown, tar: ReadableStream<Uint8Array>) => {
      differences = await layers.compare(diffID, tar);
    },
  };
  await unpackLayer(core.ports, comparing, { digest, diffID }, { limits: core.options.limits, signal });
  return differences;
}

async function findUnreferenced(
  { core, content }: ImageParts,
  { unreferencedAge }: StoreCheckOptions,
): Promise<string[]> {
  const layers = hostOf(core)?.layers;
  const old: string[] = [];
  for (const diffID of await layers?.list() ?? []) {
    if (content.isNeeded(`layer:${diffID}`)) continue;
    const since = (await layers?.inspect(diffID))?.since ?? Infinity;
    if (core.clock.now() - since >= unreferencedAge) old.push(diffID);
  }
  return old;
}
