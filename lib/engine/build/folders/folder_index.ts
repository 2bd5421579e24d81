/**
 * The list of a kept folder's files, as it is stored: JSON in a blob, which this engine alone writes.
 *
 * @module
 */
import type { FileNode } from "../context/file_tree.ts";
import type { ListedFile } from "./remote_folder.ts";

/** The place of a file's content: a blob, and the first byte in it. */
export type ContentPlace = Pick<FileNode, "archive" | "offset" | "digest">;

/** A file of the list: the facts by which it is told whether it has changed, and where its content is. */
export interface KeptFile extends Pick<ListedFile, "mode" | "uid" | "gid" | "size" | "time"> {
  place: ContentPlace;
}

/** A file as it stands in the list; the blob is a number of the folder's. */
type Row = [
  ...facts: [path: string, mode: number, uid: number, gid: number, size: number, time: number],
  ...place: [blob: number, offset: number, digest: string],
];

/** Writes a list of files by their paths; `contents` are the digests of the blobs that have them. */
export function encodeIndex(
  files: ReadonlyMap<string, KeptFile>,
  contents: readonly string[],
): Uint8Array<ArrayBuffer> {
  const numbers = new Map(contents.map((digest, number) => [digest, number]));
  const rows = Array.from(files, ([path, { mode, uid, gid, size, time, place }]): Row => {
    return [path, mode, uid, gid, size, time, numbers.get(place.archive)!, place.offset, place.digest];
  });
  return new TextEncoder().encode(JSON.stringify(rows));
}

/** Reads such a list. Throws `SyntaxError` for what is none. */
export function decodeIndex(bytes: Uint8Array, contents: readonly string[]): Map<string, KeptFile> {
  const rows: Row[] = JSON.parse(new TextDecoder().decode(bytes));
  return new Map(rows.map(([path, mode, uid, gid, size, time, blob, offset, digest]) => {
    return [path, { mode, uid, gid, size, time, place: { archive: contents[blob], offset, digest } }];
  }));
}

/** Whether a file is as it was: BuildKit's own client tells it by the same facts. */
export function isSameFile(known: KeptFile, listed: ListedFile): boolean {
  return known.size === listed.size && known.time === listed.time && known.mode === listed.mode &&
    known.uid === listed.uid && known.gid === listed.gid;
}
