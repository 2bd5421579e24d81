import { decodeLatin1 } from "../../../oci/bytes/bytes.ts";
import { byteStream } from "../../../oci/bytes/byte_stream.ts";
import { ByteReader } from "../../../oci/bytes/byte_reader.ts";
import { paddingOf, writeHeader } from "../../../oci/tar/tar_header.ts";
import { EngineError } from "../../errors.ts";
import type { Blobs, Codec } from "../../ports/ports.ts";
import type { FileTimes } from "../../ports/tree_port.ts";
import type { FileNode } from "./file_tree.ts";
import type { CopyItem } from "./select_files.ts";

/** Choices for {@linkcode copyArchive}. */
export interface CopyOptions {
  /** The digest of the archive that the items are of. */
  archive: string;
  /** A file's permissions, in place of its own. */
  chmod?: number;
  /** Keep owners; else all belongs to root. */
  keepOwners?: boolean;
  times?: FileTimes;
}

/** Bytes of small pieces that go on as one. */
const GATHERED = 128 * 1024;
/** A gap in the archive that is read over rather than sought past. */
const GAP_LIMIT = 256 * 1024;
const FLAGS: Record<FileNode["kind"], string> = { file: "0", folder: "5", symlink: "2" };

/** Writes items as a tar archive, in their order. Files that were one file stay one. */
export function copyArchive(
  blobs: Blobs,
  items: readonly CopyItem[],
  options: CopyOptions,
): ReadableStream<Uint8Array> {
  const pieces = gatherPieces(writeItems(blobs, items, options));
  return byteStream({
    next: async () => (await pieces.next()).value,
    cancel: async () => void await pieces.return(undefined),
  });
}

/**
 * Items in the order of their archive, folders and links first: it is read once from one end to the other, where the order of
 * names would go back and forth in it.
 */
export function inArchiveOrder(items: readonly CopyItem[]): CopyItem[] {
  const placeOf = ({ node, bytes }: CopyItem) => node.kind === "file" && bytes === undefined ? node.offset : -1;
  return items.toSorted((a, b) => placeOf(a) - placeOf(b));
}

/** The digest of what a copy brings: names, kinds, permissions, links and contents. Times are left out. */
export async function digestItems(codec: Codec, items: readonly CopyItem[], keepOwners = false): Promise<string> {
  const hash = codec.hash();
  const encoder = new TextEncoder();
  // One update for many items: each is a call of its own into the runtime.
  let texts = "";
  for (const { path, node, bytes } of items) {
    const { kind, mode, link, digest, size, uid, gid } = node;
    const content = bytes === undefined || digest !== "" ? digest : decodeLatin1(bytes);
    const owner = keepOwners ? [uid, gid] : [];
    texts += JSON.stringify([path, kind, mode, link, content, size, ...owner]);
    if (texts.length < GATHERED) continue;
    await hash.update(encoder.encode(texts));
    texts = "";
  }
  await hash.update(encoder.encode(texts));
  return await hash.digest();
}

/** Joins small pieces: each passes through several streams, which costs more than its bytes. */
async function* gatherPieces(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, undefined> {
  let buffer = new Uint8Array(GATHERED);
  let size = 0;
  for await (const piece of pieces) {
    const isLarge = piece.length > GATHERED / 2;
    if (size > 0 && (isLarge || size + piece.length > GATHERED)) {
      yield buffer.subarray(0, size);
      buffer = new Uint8Array(GATHERED);
      size = 0;
    }
    if (isLarge) yield piece;
    else {
      buffer.set(piece, size);
      size += piece.length;
    }
  }
  if (size > 0) yield buffer.subarray(0, size);
}

async function* writeItems(
  blobs: Blobs,
  items: readonly CopyItem[],
  { archive, chmod, keepOwners = false, times }: CopyOptions,
): AsyncGenerator<Uint8Array, undefined> {
  const encoder = new TextEncoder();
  const written = new Map<FileNode, string>();
  const reader = new ArchiveReader(blobs, archive);
  try {
    for (const { path, node, bytes } of items) {
      const { kind, uid, gid } = node;
      const mtime = times && (times.only === "all" || node.mtime > times.seconds) ? times.seconds : node.mtime;
      const first = kind === "file" ? written.get(node) : undefined;
      const size = kind === "file" && first === undefined ? node.size : 0;
      const link = encoder.encode(first ?? node.link);
      const mode = chmod === undefined || kind === "symlink" ? node.mode : chmod;
      const owner = keepOwners ? { uid, gid } : { uid: 0, gid: 0 };
      const name = encoder.encode(kind === "folder" ? `${path}/` : path);
      const flag = first === undefined ? FLAGS[kind] : "1";
      yield writeHeader({ name, link, flag, mode, ...owner, size, mtime, major: 0, minor: 0 });
      if (kind === "file") written.set(node, path);
      if (size === 0) continue;
      if (bytes !== undefined) yield bytes.slice();
      else yield* reader.read(node.offset, size);
      if (paddingOf(size) > 0) yield new Uint8Array(paddingOf(size));
    }
    yield new Uint8Array(1024);
  } finally {
    await reader.close();
  }
}

/** Reads pieces of a blob, most of them one behind the other, without opening it for each. */
class ArchiveReader {
  readonly #blobs: Blobs;
  readonly #archive: string;
  #open?: { bytes: ByteReader; start: number };

  constructor(blobs: Blobs, archive: string) {
    this.#blobs = blobs;
    this.#archive = archive;
  }

  async *read(offset: number, size: number): AsyncGenerator<Uint8Array> {
    const bytes = await this.#seek(offset);
    for (let left = size; left > 0;) {
      const piece = await bytes.some(left);
      if (piece === undefined) throw new EngineError("corrupt", `Read context: ${this.#archive} ends too early`);
      left -= piece.length;
      // The reader's piece may share its buffer with the next.
      yield piece.slice();
    }
  }

  async close(): Promise<void> {
    await this.#open?.bytes.cancel();
    this.#open = undefined;
  }

  async #seek(offset: number): Promise<ByteReader> {
    const at = this.#open === undefined ? -1 : this.#open.start + this.#open.bytes.offset;
    if (this.#open === undefined || offset < at || offset - at > GAP_LIMIT) {
      await this.close();
      const stream = await this.#blobs.open(this.#archive, { start: offset });
      if (stream === undefined) throw new EngineError("internal", `Read context: ${this.#archive} is gone`);
      this.#open = { bytes: new ByteReader(stream), start: offset };
      return this.#open.bytes;
    }
    for (let gap = offset - at; gap > 0;) gap -= (await this.#open.bytes.some(gap))?.length ?? gap;
    return this.#open.bytes;
  }
}
