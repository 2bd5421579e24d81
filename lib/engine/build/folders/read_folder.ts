/**
 * Reads a folder of a caller: its list is compared with what was kept, and the contents of what is new or has changed are asked for.
 *
 * @module
 */
import { gatheredStream } from "../../../oci/bytes/gather_pieces.ts";
import { messageOf } from "../../../oci/message_of.ts";
import { memberPath } from "../../../oci/tar/tar_entries.ts";
import type { Core } from "../../core.ts";
import { EngineError } from "../../errors.ts";
import type { Claim } from "../../images/store/content.ts";
import { ArchiveReader } from "../context/archive_reader.ts";
import { contextFailure } from "../context/context_failure.ts";
import { type FileNode, FileTree, NO_CONTENT, TREE_ENTRIES } from "../context/file_tree.ts";
import { type ContentPlace, isSameFile, type KeptFile } from "./folder_index.ts";
import type { KeptFiles, KeptFolders } from "./kept_folders.ts";
import type { ListedFile, OpenFolder, RemoteFolder } from "./remote_folder.ts";

/**
 * A file that was changed as shortly before it was listed, in milliseconds, may change again without another time or size: it is sent again by
 * the next build. Some file systems count in two seconds.
 */
const SETTLED_AFTER = 2000;
/** Blobs of one folder. Each build that brings files adds one, and beyond these the smaller half is written anew as one. */
const MOST_BLOBS = 16;

/** The build that reads, and where its folders are kept. */
export interface FolderPlace {
  core: Core;
  folders: KeptFolders;
  /** Holds what is read until the build ends. */
  claim: Claim;
  pins: DisposableStack;
  signal: AbortSignal;
}

/** A file that the caller is asked for, by its number in the list. */
interface Wanted {
  number: number;
  node: FileNode;
}

/** Reads a folder. Throws `EngineError`: `invalid` for a path that leads out of it, `limit` for too many files or bytes. */
export async function readRemoteFolder(place: FolderPlace, folder: RemoteFolder): Promise<FileTree> {
  try {
    return await compareFolder(place, folder);
  } catch (error) {
    throw contextFailure(error);
  }
}

async function compareFolder(place: FolderPlace, folder: RemoteFolder): Promise<FileTree> {
  const { core, folders, signal } = place;
  // The list of what is kept is read while the caller lists its files.
  const finding = folder.key === undefined ? undefined : folders.find(folder.key, place);
  finding?.catch(() => {});
  await using open = await folder.open(signal);
  const listedAt = core.clock.now();
  requireBounds(core, open.files);
  const kept = await finding;
  const { tree, nodes, wanted } = await compareFiles(core, open.files, kept);
  const contents = kept?.contents ?? [];
  const moved = movedContents(nodes.values(), contents, wanted.length > 0);
  const isNew = wanted.length > 0 || moved.length > 0;
  const written = isNew ? await writeContents(place, open, wanted, moved) : undefined;
  if (folder.key === undefined) return tree;

  const files = settledFiles(nodes, listedAt);
  const used = new Set(Array.from(files.values(), ({ place }) => place.archive));
  const now = {
    files,
    contents: [...contents, ...written ? [written] : []].filter(({ digest }, at, all) =>
      used.has(digest) && all.findIndex((other) => other.digest === digest) === at
    ),
  };
  const isSame = !isNew && files.size === kept?.files.size && now.contents.length === contents.length;
  try {
    if (isSame) await folders.touch(folder.key);
    else await folders.keep({ key: folder.key, name: folder.name }, now, place);
  } catch (error) {
    signal.throwIfAborted();
    // The build has all that it needs.
    core.log("warn", `Keep folder "${folder.name}" of a build: ${messageOf(error)}`);
  }
  return tree;
}

function requireBounds({ options: { limits } }: Core, files: readonly ListedFile[]): void {
  const broken = files.find(({ size }) => !Number.isSafeInteger(size) || size < 0);
  if (broken) throw new EngineError("invalid", `Read build context: "${broken.path.slice(0, 200)}" has no size`);
  if (files.length > TREE_ENTRIES) {
    throw new EngineError("limit", `Read build context: more than ${TREE_ENTRIES} entries`);
  }
  const bytes = files.reduce((sum, { kind, size }) => sum + (kind === "file" ? size : 0), 0);
  if (bytes <= limits.layerBytes) return;
  throw new EngineError("limit", `Read build context: larger than ${limits.layerBytes} bytes`);
}

/** Makes a tree of a list, with the places of contents that are kept, and tells which are not. */
async function compareFiles(core: Core, files: readonly ListedFile[], kept: KeptFiles | undefined) {
  const tree = FileTree.empty();
  const nodes = new Map<ListedFile, FileNode>();
  const wanted: Wanted[] = [];
  const digest = await core.ports.codec.hash().digest();
  for (const [number, file] of files.entries()) {
    const { kind, mode, uid, gid, size, link, time, attributes } = file;
    const path = memberPath(file.path);
    const mtime = Math.max(0, Math.floor(time / 1e9));
    const facts = { ...NO_CONTENT, mode, uid, gid, mtime, ...attributes && { attributes } };
    // Pipes have no place in a context.
    if (path === "" || kind === "other") continue;
    if (kind === "hardlink") tree.addName(path, memberPath(link));
    else if (kind === "symlink") tree.add(path, { ...facts, kind, link });
    else if (kind === "folder") tree.add(path, { ...facts, kind });
    else if (size === 0) tree.add(path, { ...facts, kind, digest });
    else {
      const known = kept?.files.get(file.path);
      const isKept = known !== undefined && isSameFile(known, file);
      const node: FileNode = { ...facts, kind, size, ...isKept && known.place };
      tree.add(path, node);
      nodes.set(file, node);
      if (!isKept) wanted.push({ number, node });
    }
  }
  return { tree, nodes, wanted };
}

/** Contents to be written anew: of blobs that are more than half waste, and, where a blob is added, of the smaller ones of too many. */
function movedContents(
  nodes: Iterable<FileNode>,
  contents: KeptFiles["contents"],
  isAdded: boolean,
): FileNode[] {
  const byBlob = Map.groupBy(nodes, ({ archive }) => archive);
  const left = contents.flatMap(({ digest, size }) => {
    const own = byBlob.get(digest) ?? [];
    const used = own.reduce((sum, node) => sum + node.size, 0);
    return used === 0 ? [] : [{ own, used, size }];
  });
  const wasted = left.filter(({ used, size }) => used < size / 2);
  const rest = left.filter((blob) => !wasted.includes(blob)).sort((a, b) => b.used - a.used);
  const small = isAdded && rest.length >= MOST_BLOBS ? rest.slice(MOST_BLOBS / 2) : [];
  return [...wasted, ...small].flatMap(({ own }) => own.toSorted((a, b) => a.offset - b.offset));
}

/** Writes contents into one blob, those of the caller first, and notes their places. */
async function writeContents(
  { core, claim, signal }: FolderPlace,
  open: OpenFolder,
  wanted: readonly Wanted[],
  moved: readonly FileNode[],
): Promise<{ digest: string; size: number }> {
  const { blobs, codec } = core.ports;
  const byNumber = new Map(wanted.map(({ number, node }) => [number, node]));
  const places = new Map<FileNode, Pick<ContentPlace, "offset" | "digest">>();
  const write = async function* (): AsyncGenerator<Uint8Array, undefined> {
    let offset = 0;
    let current: { node: FileNode; hash: ReturnType<typeof codec.hash>; offset: number } | undefined;
    const end = async () => {
      if (current) places.set(current.node, { offset: current.offset, digest: await current.hash.digest() });
    };
    for await (const { number, bytes } of open.read([...byNumber.keys()])) {
      const node = byNumber.get(number)!;
      if (current?.node !== node) {
        await end();
        current = { node, hash: codec.hash(), offset };
      }
      const hashed = current.hash.update(bytes);
      if (hashed) await hashed;
      offset += bytes.length;
      yield bytes;
    }
    await end();
    const reader = new ArchiveReader(blobs);
    try {
      for (const node of moved) {
        places.set(node, { offset, digest: node.digest });
        yield* reader.read(node, node.size);
        offset += node.size;
      }
    } finally {
      await reader.close();
    }
  };
  const admit = (digest: string) => claim.admit(`blob:${digest}`, signal);
  // The build does not wait for the disk, nor for folders that are kept: see `KeptFolders.keep()`.
  const choices = { limit: core.options.limits.layerBytes, admit, signal, isScratch: true };
  const written = await blobs.put(gatheredStream(write()), choices);
  for (const [node, place] of places) Object.assign(node, place, { archive: written.digest });
  return written;
}

/** The files by their paths, but for those that may change again without a sign of it. */
function settledFiles(nodes: ReadonlyMap<ListedFile, FileNode>, listedAt: number): Map<string, KeptFile> {
  const latest = (listedAt - SETTLED_AFTER) * 1e6;
  const settled = new Map<string, KeptFile>();
  for (const [{ path, mode, uid, gid, size, time }, { archive, offset, digest }] of nodes) {
    if (time <= latest) settled.set(path, { mode, uid, gid, size, time, place: { archive, offset, digest } });
  }
  return settled;
}
