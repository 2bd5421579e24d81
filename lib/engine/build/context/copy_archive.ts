import { decodeLatin1 } from "../../../oci/bytes/bytes.ts";
import { gatheredStream } from "../../../oci/bytes/gather_pieces.ts";
import { attributeRecords } from "../../../oci/tar/attributes.ts";
import { paddingOf, writeHeader } from "../../../oci/tar/tar_header.ts";
import type { Blobs, Codec } from "../../ports/ports.ts";
import { ArchiveReader } from "./archive_reader.ts";
import { copiedEntries, type CopiedEntry, type CopyOptions } from "./copied_entries.ts";
import type { CopyItem } from "./select_files.ts";

/** Letters that are digested at once. */
const DIGESTED = 128 * 1024;
const FLAGS: Record<CopiedEntry["kind"], string> = { file: "0", hardlink: "1", symlink: "2", folder: "5" };

/** Writes items as a tar archive, in their order. Files that were one file stay one. */
export function copyArchive(
  blobs: Blobs,
  items: readonly CopyItem[],
  options: CopyOptions = {},
): ReadableStream<Uint8Array> {
  return gatheredStream(writeItems(blobs, items, options));
}

/**
 * Items in the order of their archives, folders and links first: each is read once from one end to the other, where the order of
 * names would go back and forth in it.
 */
export function inArchiveOrder(items: readonly CopyItem[]): CopyItem[] {
  const archives = new Map<string, number>();
  for (const { node } of items) if (!archives.has(node.archive)) archives.set(node.archive, archives.size);
  const isStored = ({ node, bytes }: CopyItem) => node.kind === "file" && bytes === undefined;
  const archiveOf = (item: CopyItem) => isStored(item) ? archives.get(item.node.archive)! : -1;
  const placeOf = (item: CopyItem) => isStored(item) ? item.node.offset : -1;
  return items.toSorted((a, b) => archiveOf(a) - archiveOf(b) || placeOf(a) - placeOf(b));
}

/** The digest of what a copy brings: names, kinds, permissions, links, contents and extended attributes. Times are left out. */
export async function digestItems(codec: Codec, items: readonly CopyItem[], keepOwners = false): Promise<string> {
  const hash = codec.hash();
  const encoder = new TextEncoder();
  // One update for many items: each is a call of its own into the runtime.
  let texts = "";
  for (const { path, node, bytes } of items) {
    const { kind, mode, link, digest, size, uid, gid, attributes = [] } = node;
    const content = bytes === undefined || digest !== "" ? digest : decodeLatin1(bytes);
    const owner = keepOwners ? [uid, gid] : [];
    texts += JSON.stringify([path, kind, mode, link, content, size, ...owner, ...attributes]);
    if (texts.length < DIGESTED) continue;
    await hash.update(encoder.encode(texts));
    texts = "";
  }
  await hash.update(encoder.encode(texts));
  return await hash.digest();
}

async function* writeItems(
  blobs: Blobs,
  items: readonly CopyItem[],
  options: CopyOptions,
): AsyncGenerator<Uint8Array, undefined> {
  const encoder = new TextEncoder();
  const reader = new ArchiveReader(blobs);
  try {
    for (const entry of copiedEntries(items, options)) {
      const { node, bytes, path, kind, size, attributes, ...facts } = entry;
      const name = encoder.encode(kind === "folder" ? `${path}/` : path);
      const link = encoder.encode(entry.link);
      const header = { ...facts, name, link, flag: FLAGS[kind], size, major: 0, minor: 0 };
      yield writeHeader(header, attributeRecords(attributes));
      if (size === 0) continue;
      if (bytes !== undefined) yield bytes.slice();
      else yield* reader.read(node, size);
      if (paddingOf(size) > 0) yield new Uint8Array(paddingOf(size));
    }
    yield new Uint8Array(1024);
  } finally {
    await reader.close();
  }
}
