import { keysOf } from "../../../lib/engine/images/content.ts";
import { EventLog } from "../../../lib/engine/events.ts";
import type { ImageRecord } from "../../../lib/engine/image_record.ts";
import { Images, type ImagesCore } from "../../../lib/engine/images/images.ts";
import type { PullOptions, PullProgress } from "../../../lib/engine/images/types.ts";
import { Intents } from "../../../lib/engine/intents.ts";
import type { LocalFiles } from "../../../lib/engine/local_files_port.ts";
import { Locks } from "../../../lib/engine/locks.ts";
import { type EngineOptions, type Limits, resolveOptions } from "../../../lib/engine/options.ts";
import type { Host, Layers, NoHost } from "../../../lib/engine/host_port.ts";
import type { Blobs, Net, Ports, Store } from "../../../lib/engine/ports.ts";
import { State } from "../../../lib/engine/state.ts";
import { parseRegistriesConf } from "../../../lib/oci/registries_conf.ts";
import { hostClock } from "../../../lib/platform/clock.ts";
import { hostCodec } from "../../../lib/platform/codec.ts";
import { MemoryBlobs } from "../../../lib/platform/memory_blobs.ts";
import { MemoryStore } from "../../../lib/platform/memory_store.ts";
import { hostNet } from "../../../lib/platform/net.ts";
import { hostRandom } from "../../../lib/platform/random.ts";

/** What a rig is made of; everything has a default that needs nothing of the machine. */
export interface RigOptions {
  store?: Store;
  blobs?: Blobs;
  net?: Net;
  /** Layers to unpack into; without them there is no host, as on the edge. */
  layers?: Layers;
  /** The files of that host. */
  localFiles?: LocalFiles;
  registries?: string;
  limits?: Partial<Limits>;
  /** A PEM certificate every registry may show. */
  ca?: string;
  /** Certificates for a registry, instead. */
  tls?: EngineOptions["tls"];
}

/** The images of an engine that has no containers. */
export interface Rig {
  images: Images;
  core: ImagesCore;
  blobs: Blobs;
  store: Store;
}

/** Opens images over these ports, as `Engine.open` does. */
export async function openImages(options: RigOptions = {}): Promise<Rig> {
  const { store = new MemoryStore(), blobs = new MemoryBlobs(hostCodec()), net = hostNet() } = options;
  const noHost: NoHost = { unavailable: "No kernel here" };
  // Images touch nothing else of a host.
  const host = options.layers ? { layers: options.layers, localFiles: options.localFiles } as Host : noHost;
  const ports: Ports = { store, blobs, net, host, codec: hostCodec(), clock: hostClock(), random: hostRandom() };
  const state = await State.open(store);
  const core: ImagesCore = {
    ports,
    host,
    clock: ports.clock,
    random: ports.random,
    state,
    events: await EventLog.open({ store, clock: ports.clock, limit: 1000 }),
    intents: new Intents(state, () => ports.clock.now()),
    locks: new Locks(),
    options: await resolveOptions(ports, {
      limits: options.limits,
      tls: options.tls ?? (() => options.ca === undefined ? undefined : { ca: options.ca }),
      defaultPlatform: { os: "linux", architecture: "amd64" },
      ...options.registries === undefined ? {} : { registries: parseRegistriesConf(options.registries) },
    }),
    log: () => {},
  };
  const images = new Images(core);
  await images.recover();
  return { images, core, blobs, store };
}

/** Pulls and gives everything that was told. */
export async function pullAll(images: Images, reference: string, options?: PullOptions): Promise<PullProgress[]> {
  return await Array.fromAsync(images.pull(reference, options));
}

/** The image ID a pull ended with. */
export async function pullID(images: Images, reference: string, options?: PullOptions): Promise<string> {
  const last = (await pullAll(images, reference, options)).at(-1);
  if (last?.kind !== "done") throw new Error(`Pull of ${reference} did not end`);
  return last.ids[0];
}

/** Puts an image with made-up content into the engine; `layers` are letters, each standing for a blob and its layer. */
export async function seed(rig: Rig, id: string, names: string[], layers = ""): Promise<ImageRecord> {
  const digestOf = async (text: string) => {
    const { digest } = await rig.blobs.put(new Blob([text]).stream());
    return digest;
  };
  const digest = await digestOf(`manifest ${id}`);
  const record: ImageRecord = {
    id: id.padEnd(64, "0"),
    digest,
    mediaType: "application/vnd.oci.image.manifest.v1+json",
    repoDigests: names.filter((name) => name.includes("/")).map((name) => `${name.split(":")[0]}@${digest}`),
    names,
    history: [],
    pulledAt: new Date(0).toISOString(),
    layers: await Promise.all([...layers].map(async (letter) => {
      const blob = await digestOf(`layer ${letter}`);
      return { digest: blob, size: 7, mediaType: "application/vnd.oci.image.layer.v1.tar", diffID: blob };
    })),
    size: 7 * layers.length,
    config: { architecture: "amd64", os: "linux", rootfs: { type: "layers", diff_ids: [] } },
    annotations: {},
  };
  await rig.core.state.commit([rig.core.state.table<ImageRecord>("images").put(record.id, record)]);
  return record;
}

/** Digests of all blobs there are, sorted. */
export async function blobsOf(blobs: Blobs): Promise<string[]> {
  return (await Array.fromAsync(blobs.list())).map(({ digest }) => digest).sort();
}

/** Digests of the blobs that images need and that are there, sorted: all there may be. */
export async function neededBlobs({ images, blobs }: Rig): Promise<string[]> {
  const keys = new Set(images.list().flatMap(keysOf).filter((key) => key.startsWith("blob:")));
  const digests = [...keys].map((key) => key.slice("blob:".length));
  const there = await Promise.all(digests.map(async (digest) => await blobs.stat(digest) !== undefined));
  return digests.filter((_, i) => there[i]).sort();
}
