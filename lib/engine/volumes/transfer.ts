/** The content of volumes as tar archives: in folders of the host, and in the blob store where there is no host. */
import { byteStream, pourThrough, streamThen } from "../../oci/bytes/byte_stream.ts";
import { BLOCK } from "../../oci/tar/tar_header.ts";
import { volumeTar } from "../../oci/tar/checkpoint_tar.ts";
import { archiveFailure, archiveInput, CONTENT_LIMIT } from "../containers/files/archive_input.ts";
import type { ContainersCore } from "../containers/context.ts";
import { type Core, hostOf } from "../core.ts";
import { EngineError } from "../errors.ts";
import { decompress } from "../images/ingest/decompress.ts";
import type { VolumeArchive, VolumeRecord } from "../records/volume_record.ts";
import type { VolumeStore } from "./volume_store.ts";

/** Two blocks of zeros end an archive; {@linkcode volumeTar} writes exactly these. */
const END = 2 * BLOCK;
/** Imports that are kept apart for one volume; more than anybody makes. */
const MOST_ARCHIVES = 1000;

/** The services that transfers share. */
export interface TransferContext {
  core: ContainersCore;
  store: VolumeStore;
  /** Names a use of a volume, so that its device stays mounted. */
  newUser(): string;
}

/** Reads a volume's content as a plain tar. The reader must end or cancel it. */
export async function exportVolume(
  context: TransferContext,
  volume: VolumeRecord,
): Promise<ReadableStream<Uint8Array>> {
  const host = hostOf(context.core);
  if (host === undefined) return joinArchives(context.core, volume.archives ?? []);
  const user = context.newUser();
  await context.store.use(volume.name, user);
  return streamThen(host.trees.export(volume.mountpoint), () => context.store.leave(user));
}

/** Unpacks an archive, plain or compressed, over what a volume has. Throws `invalid` for what is no archive. */
export async function importVolume(
  context: TransferContext,
  volume: VolumeRecord,
  archive: ReadableStream<Uint8Array>,
  signal?: AbortSignal,
): Promise<void> {
  const { core, store } = context;
  const host = hostOf(core);
  if (host === undefined) return await keepArchive(context, volume.name, archive);
  const user = context.newUser();
  const entries = await archiveInput(core, archive);
  try {
    await store.use(volume.name, user);
    await host.trees.write({ root: volume.mountpoint, path: "/" }, entries, { signal });
  } catch (error) {
    if (!entries.locked) await entries.cancel(error).catch(() => {});
    throw archiveFailure(error);
  } finally {
    await store.leave(user);
  }
  // The first container to mount it finds the import, not the files of its image.
  await store.update(volume.name, (record) => ({ ...record, needsCopyUp: false }));
}

async function keepArchive(
  { core, store }: TransferContext,
  name: string,
  archive: ReadableStream<Uint8Array>,
): Promise<void> {
  const claim = core.images.claimContent();
  const plain = await decompress(core.ports.codec, archive);
  const bounds = { bytes: CONTENT_LIMIT, entries: core.options.limits.layerEntries };
  try {
    const kept = await core.ports.blobs.put(pourThrough(plain, volumeTar(bounds)), {
      admit: (digest) => claim.admit(`blob:${digest}`),
    });
    await store.update(name, (record) => {
      const archives = [...record.archives ?? [], kept];
      if (archives.length <= MOST_ARCHIVES) return { ...record, archives, needsCopyUp: false };
      throw new EngineError("limit", `volume ${name} has ${MOST_ARCHIVES} imports, and no more are kept apart`);
    });
  } catch (error) {
    throw archiveFailure(error);
  } finally {
    await claim.end("delete");
  }
}

/** Archives one after the other as one: what unpacks it does so in the order of the imports. */
function joinArchives(core: Core, archives: readonly VolumeArchive[]): ReadableStream<Uint8Array> {
  const pieces = readArchives(core, archives);
  return byteStream({
    next: async () => (await pieces.next()).value,
    cancel: async () => void await pieces.return(undefined),
  });
}

async function* readArchives(core: Core, archives: readonly VolumeArchive[]): AsyncGenerator<Uint8Array, undefined> {
  for (const { digest, size } of archives) {
    const blob = await core.ports.blobs.open(digest, { start: 0, end: size - END });
    if (blob === undefined) throw new EngineError("corrupt", `the content ${digest} of a volume is not there any more`);
    yield* blob;
  }
  yield new Uint8Array(END);
}
