import { EngineError } from "../../engine/errors.ts";
import type { FileFacts, TreePath, Trees } from "../../engine/ports/tree_port.ts";
import { ByteReader } from "../../oci/bytes/byte_reader.ts";
import { cleanPath } from "../../oci/clean_path.ts";
import { type TarFile, tarStream } from "../../oci/tar/tar_entries.ts";
import { paddingOf } from "../../oci/tar/tar_header.ts";
import { refuseAll } from "./refuse_all.ts";

/** The files of one container by absolute path. */
export type FileMap = Map<string, Uint8Array>;

const FOLDER = 0o040755;
const FILE = 0o100644;
/** Folders that every container has, without a file in them. */
const USUAL = new Set(["/", "/etc", "/home", "/mnt", "/opt", "/root", "/run", "/srv", "/tmp", "/usr", "/var"]);

/**
 * Trees of files in memory: a folder is one that is usual or has files.
 *
 * @param filesAt Finds the files of the tree that is mounted there
 */
export function pretendTrees(filesAt: (root: string) => FileMap, isMounted: (id: string) => boolean): Trees {
  const look = ({ root, path }: TreePath): { path: string; facts: FileFacts; files: FileMap } => {
    const files = filesAt(root);
    const clean = cleanPath(path);
    const content = files.get(clean);
    const isFolder = content === undefined && (USUAL.has(clean) || belowOf(files, clean).length > 0);
    if (content === undefined && !isFolder) throw new EngineError("no_such_file", `"${path}" could not be found`);
    const facts = { mode: isFolder ? FOLDER : FILE, size: content?.length ?? 0, modified: 0n, isFolder, exists: true };
    return { path: clean, facts, files };
  };
  return {
    ...refuseAll<Trees>("layers of files"),
    // A refusal has to be a failed promise here, and not an error of the call.
    stat: async (path) => await Promise.resolve(look(path).facts),
    read: async (place) => {
      const { path, facts, files } = await Promise.resolve(look(place));
      return { facts, archive: tarStream(entriesOf(files, path, facts.isFolder)) };
    },
    write: async (place, entries, { mustExist }) => {
      if (mustExist) look(place);
      const files = filesAt(place.root);
      for await (const [path, content] of readEntries(entries)) files.set(cleanPath(`${place.path}/${path}`), content);
    },
    export: (root) => tarStream(entriesOf(filesAt(root), "/", true)),
    isMounted: (id) => Promise.resolve(isMounted(id)),
    changeset: refuseAll<Trees>("layers of files").changeset,
    pick: refuseAll<Trees>("layers of files").pick,
    finalChangeset: refuseAll<Trees>("layers of files").finalChangeset,
    changes: refuseAll<Trees>("layers of files").changes,
    differences: refuseAll<Trees>("layers of files").differences,
  };
}

function belowOf(files: FileMap, folder: string): [path: string, content: Uint8Array][] {
  const prefix = folder === "/" ? "/" : `${folder}/`;
  return [...files].filter(([path]) => path.startsWith(prefix));
}

async function* entriesOf(files: FileMap, path: string, isFolder: boolean): AsyncGenerator<TarFile> {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const found: [string, Uint8Array][] = isFolder
    ? belowOf(files, path)
    : [[path, files.get(path) ?? new Uint8Array(0)]];
  if (isFolder && name !== "") yield { path: `${name}/`, size: 0, content: new Uint8Array(0), mode: 0o755 };
  const before = path.length - name.length;
  for (const [path, content] of found) yield { path: path.slice(before), size: content.length, content, mode: 0o644 };
}

/** The plain files of entries; see `lib/oci/tar/archive_entries.ts`. */
async function* readEntries(entries: ReadableStream<Uint8Array>): AsyncGenerator<[path: string, content: Uint8Array]> {
  const reader = new ByteReader(entries);
  for (;;) {
    const frame = fieldsOf(await reader.exactly(await lengthFrom(reader)));
    if (frame.length === 0) break;
    const [kind, path] = frame;
    const size = kind === "f" ? Number(frame[SIZE]) : 0;
    const content = await reader.exactly(size);
    await reader.exactly(paddingOf(size));
    if (kind === "f") yield [path, content.slice()];
  }
  await reader.cancel();
}

/** The place of an entry's size among its fields. */
const SIZE = 10;

async function lengthFrom(reader: ByteReader): Promise<number> {
  const bytes = await reader.exactly(4);
  return bytes.length < 4 ? 0 : new DataView(bytes.buffer, bytes.byteOffset).getUint32(0);
}

function fieldsOf(frame: Uint8Array): string[] {
  const fields: string[] = [];
  const view = new DataView(frame.buffer, frame.byteOffset, frame.byteLength);
  for (let at = 0; at < frame.length;) {
    const length = view.getUint32(at);
    fields.push(new TextDecoder().decode(frame.subarray(at + 4, at + 4 + length)));
    at += 4 + length;
  }
  return fields;
}
