import type { ReceivedCheckpoint } from "../../ports/checkpoint_port.ts";
import type { ContainerRecord, ContainerSpec, PortMapping } from "../../records/container_record.ts";
import { EngineError, invalid } from "../../errors.ts";
import { emptySpec } from "../../records/empty_spec.ts";
import { decompress } from "../../images/ingest/decompress.ts";
import { readStream } from "../../../oci/registry/body.ts";
import { concatBytes } from "../../../oci/bytes/bytes.ts";
import { tarStream } from "../../../oci/tar/tar_entries.ts";
import { type Context, withContainerLock } from "../context.ts";
import { requireHost } from "../../core.ts";
import { createFromSpec } from "../create/create.ts";
import { messageOf } from "../../../oci/message_of.ts";
import { volumesOf } from "../create/mounts.ts";
import { removeContainer } from "../remove.ts";
import type { CheckpointReport } from "./checkpoint.ts";
import { startDependencies } from "../life/lifecycle.ts";
import { placeInPod, requireSamePlace } from "./place_in_pod.ts";
import { dumpedRecord } from "./config_dump.ts";
import { restoreContainer, type RestoreOptions } from "./restore.ts";

/** Options of {@linkcode importCheckpoint}. */
export interface ImportOptions extends RestoreOptions {
  /** The container's name here; its own by default. */
  name?: string;
  /** The pod that it is restored into, by name or ID: the checkpoint must be of a pod's container. */
  pod?: string;
  /** In place of the ports it published. */
  ports?: PortMapping[];
  ignoreRootFS?: boolean;
  ignoreVolumes?: boolean;
  /** Brings an image that is not here. */
  fetchImage: (name: string) => Promise<void>;
}

/** Makes a container of an archive and brings it back. Where that fails nothing is left of it. */
export async function importCheckpoint(
  context: Context,
  archive: ReadableStream<Uint8Array>,
  options: ImportOptions,
): Promise<CheckpointReport> {
  const { checkpoints } = requireHost(context.core);
  await checkpoints.check();
  const plain = await decompress(context.core.ports.codec, archive);
  await using received = await checkpoints.receive(plain);
  const dumped = dumpedRecord(await received.text("config.dump"));
  requireSamePlace(dumped.spec, options.pod);
  const pod = options.pod === undefined ? undefined : context.pods.resolve(options.pod);
  if (!options.ignoreVolumes) requireNoVolumes(context, dumped);
  if (dumped.imageName !== "") await options.fetchImage(dumped.imageName);
  // Under its own name it is the same container; a new name is for one of several, with an address of its own.
  const isNamed = options.name !== undefined;
  const spec = specOf(dumped, options);
  const id = isNamed ? undefined : dumped.id;
  const { record } = pod === undefined ? await createFromSpec(context, spec, id) : await context.pods.locked(
    pod.id,
    () => createFromSpec(context, placeInPod(spec, context.pods.require(pod.id)), id),
  );
  try {
    await withContainerLock(context, record.id, () => fillContainer(context, record, received, options));
    if (pod !== undefined) await startDependencies(context, record.id);
    const ignoreStaticIP = options.ignoreStaticIP || isNamed;
    const ignoreStaticMAC = options.ignoreStaticMAC || isNamed;
    return await restoreContainer(context, record.id, { ...options, ignoreStaticIP, ignoreStaticMAC });
  } catch (error) {
    await removeContainer(context, record.id, { force: true, ignore: true, volumes: true }).catch((again) => {
      context.core.log("error", `Remove container ${record.id} that was not restored: ${messageOf(again)}`);
    });
    throw error;
  }
}

function specOf(dumped: ContainerRecord, { name, ports }: ImportOptions): ContainerSpec {
  return {
    ...emptySpec(),
    ...dumped.spec,
    image: dumped.imageName,
    name: name ?? dumped.name,
    hostname: dumped.spec.namespaces.uts.mode === "private" ? dumped.hostname : dumped.spec.hostname,
    ports: ports ?? dumped.ports,
    publishImagePorts: false,
    // Under the names they have in there: their content comes along.
    mounts: dumped.mounts,
    volumesFrom: undefined,
    stopSignal: dumped.stopSignal,
    stopTimeout: dumped.stopTimeout,
    health: dumped.health,
    secrets: dumped.secrets?.map(({ name, path, uid, gid, mode }) => ({ source: name, target: path, uid, gid, mode })),
  };
}

function requireNoVolumes(context: Context, dumped: ContainerRecord): void {
  const there = volumesOf(dumped.mounts).find(({ source }) => context.volumes.exists(source));
  if (there === undefined) return;
  const hint = "Use --ignore-volumes to not restore content of volumes";
  throw new EngineError("internal", `volume with name ${there.source} already exists. ${hint}`);
}

async function fillContainer(
  context: Context,
  record: ContainerRecord,
  received: ReceivedCheckpoint,
  options: ImportOptions,
): Promise<void> {
  const { checkpoints } = requireHost(context.core);
  const { id } = record;
  await received.adopt(id);
  const tree = options.ignoreRootFS ? undefined : await checkpoints.open(id, "rootfs-diff.tar");
  if (tree) {
    const deleted = await checkpoints.open(id, "deleted.files");
    const paths = deleted ? await listIn(deleted) : [];
    await checkpoints.fillLayer(id, concatStreams(whiteoutLayer(paths), tree));
  }
  if (!options.ignoreVolumes) {
    for (const { source } of volumesOf(record.mounts)) await checkpoints.loadVolume(id, source);
  }
  await checkpoints.remove(id, ["rootfs-diff.tar", "deleted.files", "volumes"]);
}

/** Returns the paths that the container deleted as the whiteouts of an OCI changeset. */
function whiteoutLayer(paths: readonly string[]): ReadableStream<Uint8Array> {
  return tarStream((async function* () {
    for (const path of paths) {
      const slash = path.lastIndexOf("/");
      const name = `${path.slice(0, slash + 1)}.wh.${path.slice(slash + 1)}`.replace(/^\/+/, "");
      yield { path: name, size: 0, content: new Uint8Array() };
    }
  })());
}

/** Reads a list of paths, which somebody else may have written. Throws `invalid` for anything else. */
async function listIn(text: ReadableStream<Uint8Array>): Promise<string[]> {
  let list: unknown;
  try {
    list = JSON.parse(new TextDecoder().decode(await readStream(text, LIST_LIMIT)));
  } catch (error) {
    throw invalid(`Import checkpoint: deleted.files does not parse: ${messageOf(error)}`);
  }
  if (Array.isArray(list) && list.every((path) => typeof path === "string")) return list;
  throw invalid("Import checkpoint: deleted.files is no list of paths");
}

/** The most of a list of what was deleted, in bytes. */
const LIST_LIMIT = 16 * 1024 * 1024;
/** The most bytes of padding at the end of an archive: two blocks of zeros, and more to fill a record of twenty. */
const TAIL = 20 * 512;
const BLOCK = 512;

/** Two archives as one: the zeros at the end of the first are left out. */
function concatStreams(
  first: ReadableStream<Uint8Array>,
  second: ReadableStream<Uint8Array>,
): ReadableStream<Uint8Array> {
  return ReadableStream.from((async function* () {
    // The last bytes may be the archive's padding: hold them back, and leave the padding out.
    let held: Uint8Array = new Uint8Array(0);
    for await (const chunk of first) {
      const bytes = concatBytes([held, chunk]);
      const end = Math.max(0, bytes.length - TAIL);
      if (end > 0) yield bytes.slice(0, end);
      held = bytes.slice(end);
    }
    let end = held.length;
    while (end >= BLOCK && held.subarray(end - BLOCK, end).every((byte) => byte === 0)) end -= BLOCK;
    yield held.subarray(0, end);
    yield* second;
  })());
}
