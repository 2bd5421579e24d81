import type { Attributes } from "../../../oci/tar/attributes.ts";
import type { FileTimes } from "../../ports/tree_port.ts";
import type { FileNode } from "./file_tree.ts";
import type { CopyItem } from "./select_files.ts";

/** How items are copied. */
export interface CopyOptions {
  /** A file's permissions, in place of its own. */
  chmod?: number;
  /** Keep owners; else all belongs to root. */
  keepOwners?: boolean;
  times?: FileTimes;
}

/** An item as it is to be. */
export interface CopiedEntry extends Pick<CopyItem, "path" | "node" | "bytes"> {
  kind: FileNode["kind"] | "hardlink";
  /** The target of a link. */
  link: string;
  mode: number;
  uid: number;
  gid: number;
  /** Seconds since the epoch. */
  mtime: number;
  /** Bytes of its content; none of a further name of a file. */
  size: number;
  /** Extended attributes; none of a further name of a file, nor of a link. */
  attributes?: Attributes;
}

/** Items as they are to be, in their order. Files that were one file stay one. */
export function* copiedEntries(
  items: readonly CopyItem[],
  { chmod, keepOwners = false, times }: CopyOptions,
): Generator<CopiedEntry> {
  const written = new Map<FileNode, string>();
  for (const { path, node, bytes } of items) {
    const first = node.kind === "file" ? written.get(node) : undefined;
    if (node.kind === "file") written.set(node, path);
    yield {
      path,
      node,
      bytes,
      kind: first === undefined ? node.kind : "hardlink",
      link: first ?? node.link,
      mode: chmod === undefined || node.kind === "symlink" ? node.mode : chmod,
      uid: keepOwners ? node.uid : 0,
      gid: keepOwners ? node.gid : 0,
      mtime: times && (times.only === "all" || node.mtime > times.seconds) ? times.seconds : node.mtime,
      size: node.kind === "file" && first === undefined ? node.size : 0,
      attributes: node.kind === "symlink" || first !== undefined ? undefined : node.attributes,
    };
  }
}
