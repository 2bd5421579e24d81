/**
 * Files of an image for the client: `moby.filesync.v1.FileSend/DiffCopy`, as the bytes of an archive, or as a folder, of which the client
 * asks for the contents that it wants.
 *
 * @module
 */
import { GRPC_CODES, type GRPCClient, GRPCError } from "../../../lib/engine/ports/build_port.ts";
import { tarEntries } from "../../../lib/oci/tar/tar_entries.ts";
import { BytesMessage, PACKET, Packet, type StatValue } from "./messages.ts";
import { fileMode, sentAttributes } from "./file_sync.ts";
import { Outbox } from "./outbox.ts";

const METHOD = "/moby.filesync.v1.FileSend/DiffCopy";
/** The key that says which of a build's exports this is. */
const EXPORTER = "buildkit-attachable-exporter-id";
/** Bytes of a message; clients take four million. */
const PIECE = 1 << 20;
/** The most files of an image, and passes over its archive: the client may ask for a file late. */
const LIMITS = { entries: 1_000_000, bytes: Number.MAX_SAFE_INTEGER };
const MOST_PASSES = 100;

/** A client that takes files, and for which of its exports. */
export interface FileTaker {
  client: GRPCClient;
  index: number;
  signal: AbortSignal;
}

/** Sends an archive. */
export async function sendArchive(archive: ReadableStream<Uint8Array>, taker: FileTaker): Promise<void> {
  const metadata = { [EXPORTER]: String(taker.index) };
  const messages = pieceMessages(archive);
  for await (const _ of taker.client.call(METHOD, messages, { metadata, signal: taker.signal }));
}

async function* pieceMessages(archive: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of archive) {
    for (let at = 0; at < chunk.length; at += PIECE) {
      yield BytesMessage.encode({ data: chunk.subarray(at, at + PIECE) });
    }
  }
}

/** Sends a folder's files. `open` gives them as an archive, each time anew. */
export async function sendFolder(open: () => Promise<ReadableStream<Uint8Array>>, taker: FileTaker): Promise<void> {
  const stats = await readStats(await open());
  const wanted = new Set<number>();
  const outbox = new Outbox<Uint8Array>();
  const metadata = { [EXPORTER]: String(taker.index) };
  let changed = Promise.withResolvers<void>();
  let isDone = false;
  const answers = taker.client.call(METHOD, outbox, { metadata, signal: taker.signal });
  const reading = (async () => {
    try {
      for await (const answer of answers) {
        const { type, ID, data } = Packet.decode(answer);
        if (type === PACKET.request) wanted.add(ID);
        else if (type === PACKET.error) throw new GRPCError(GRPC_CODES.unknown, new TextDecoder().decode(data));
        else if (type === PACKET.end) {
          isDone = true;
          outbox.push(Packet.encode({ type: PACKET.end }));
          outbox.close();
        }
        changed.resolve();
      }
    } finally {
      isDone = true;
      changed.resolve();
    }
  })();
  reading.catch(() => {});
  for (const { stat } of stats) outbox.push(Packet.encode({ type: PACKET.stat, stat }));
  outbox.push(Packet.encode({ type: PACKET.stat }));
  for (let pass = 0; !isDone && pass < MOST_PASSES; pass++) {
    while (wanted.size === 0 && !isDone) {
      await changed.promise;
      changed = Promise.withResolvers();
    }
    if (!isDone) await sendContents(await open(), stats, wanted, outbox);
  }
  outbox.close();
  await reading;
}

/** A file of the folder, and the archive's path of its content, which for one of several names is another. */
interface SentFile {
  stat: StatValue;
  source: string;
}

async function readStats(archive: ReadableStream<Uint8Array>): Promise<SentFile[]> {
  const files = new Map<string, SentFile>();
  for await (const { path, kind, link, size, mode, uid, gid, mtime, attributes } of tarEntries(archive, LIMITS)) {
    // A client without root's rights can make neither devices nor sockets.
    if (path === "" || path === "." || kind === "other") continue;
    const known = kind === "hardlink" ? files.get(link.replace(/^\.?\//, "")) : undefined;
    const base = { path, uid, gid, modTime: mtime * 1e9, linkname: "", xattrs: sentAttributes(attributes) };
    const own: StatValue = known ? { ...known.stat, path } : {
      ...base,
      mode: fileMode(kind, mode),
      size: kind === "file" ? size : 0,
      linkname: kind === "symlink" ? link : "",
    };
    files.set(path, { stat: own, source: known?.source ?? path });
  }
  // The client refuses another order: a folder, what is in it, and then what comes behind it.
  return [...files.values()].sort((a, b) => comparePaths(a.stat.path, b.stat.path));
}

function comparePaths(a: string, b: string): number {
  // A slash comes before every other character.
  const [first, second] = [a, b].map((path) => path.replaceAll("/", "\0"));
  return first < second ? -1 : first > second ? 1 : 0;
}

async function sendContents(
  archive: ReadableStream<Uint8Array>,
  stats: readonly SentFile[],
  wanted: Set<number>,
  outbox: Outbox<Uint8Array>,
): Promise<void> {
  const bySource = Map.groupBy([...wanted], (index) => stats[index]?.source ?? "");
  for await (const entry of tarEntries(archive, LIMITS)) {
    const indices = bySource.get(entry.path);
    if (indices === undefined) continue;
    for await (const chunk of entry.content()) {
      for (let at = 0; at < chunk.length; at += PIECE) {
        const data = chunk.slice(at, at + PIECE);
        for (const ID of indices) outbox.push(Packet.encode({ type: PACKET.data, ID, data }));
      }
      await outbox.room();
    }
    for (const ID of indices) outbox.push(Packet.encode({ type: PACKET.data, ID }));
    for (const ID of indices) wanted.delete(ID);
    bySource.delete(entry.path);
    if (bySource.size === 0) break;
  }
  // A file that the archive does not have is answered, too: the client would wait.
  for (const indices of bySource.values()) {
    for (const ID of indices) {
      outbox.push(Packet.encode({ type: PACKET.data, ID }));
      wanted.delete(ID);
    }
  }
}
