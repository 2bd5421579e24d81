import { decodeLatin1 } from "../../../oci/bytes/bytes.ts";
import { gatheredStream } from "../../../oci/bytes/gather_pieces.ts";
import { cleanPath } from "../../../oci/clean_path.ts";
import { ENTRY_LETTERS, entryFrame, lastFrame, STORED_LETTER } from "../../../oci/tar/entry_frame.ts";
import { paddingOf } from "../../../oci/tar/tar_header.ts";
import type { Blobs } from "../../ports/ports.ts";
import type { StoredEntries } from "../../ports/tree_port.ts";
import { copiedEntries, type CopyOptions } from "./copied_entries.ts";
import type { CopyItem } from "./select_files.ts";

/**
 * Items as entries whose contents are not carried along: they lie in files of this machine. `undefined` where a blob of theirs is none, as in
 * memory.
 */
export async function copyEntries(
  blobs: Blobs,
  items: readonly CopyItem[],
  options: CopyOptions = {},
): Promise<StoredEntries | undefined> {
  const numbers = new Map<string, number>();
  const files: string[] = [];
  for (const { node, bytes } of items) {
    if (!isStored({ node, bytes }) || numbers.has(node.archive)) continue;
    const file = await blobs.file?.(node.archive);
    if (file === undefined) return undefined;
    numbers.set(node.archive, files.length);
    files.push(`${file.folder}/${file.path}`);
  }
  return { entries: gatheredStream(writeEntries(items, numbers, options)), files };
}

async function* writeEntries(
  items: readonly CopyItem[],
  numbers: ReadonlyMap<string, number>,
  options: CopyOptions,
): AsyncGenerator<Uint8Array, undefined> {
  const encoder = new TextEncoder();
  const lettersOf = (text: string) => decodeLatin1(encoder.encode(text));
  const below = (path: string) => lettersOf(cleanPath(path).slice(1));
  for (const { node, bytes, path, kind, link, ...facts } of copiedEntries(items, options)) {
    const isInStore = facts.size > 0 && isStored({ node, bytes });
    yield entryFrame({
      ...facts,
      path: below(path),
      letter: isInStore ? STORED_LETTER : ENTRY_LETTERS[kind],
      link: isInStore
        ? `${numbers.get(node.archive)}:${node.offset}`
        : kind === "hardlink"
        ? below(link)
        : lettersOf(link),
    });
    if (facts.size === 0 || isInStore || bytes === undefined) continue;
    yield bytes.slice();
    if (paddingOf(facts.size) > 0) yield new Uint8Array(paddingOf(facts.size));
  }
  yield lastFrame();
}

function isStored({ node, bytes }: Pick<CopyItem, "node" | "bytes">): boolean {
  return node.kind === "file" && node.size > 0 && bytes === undefined;
}
