/**
 * The files of a build's context, or of a stage that is copied from, as a tree in memory over blobs of the store. Links are
 * followed inside the tree, so that none leads out of it, and nothing changes while it is read.
 *
 * @module
 */
import type { Attributes } from "../../../oci/tar/attributes.ts";
import { tarEntries, type TarEntry, type TarLimits } from "../../../oci/tar/tar_entries.ts";
import { EngineError } from "../../errors.ts";
import type { Blobs, Codec } from "../../ports/ports.ts";

/** The facts about one file, folder or link. */
export interface FileNode {
  kind: "file" | "folder" | "symlink";
  mode: number;
  uid: number;
  gid: number;
  /** Whole seconds since the epoch. */
  mtime: number;
  /** Of a symbolic link. */
  link: string;
  /** Bytes of a file, and their place: the digest of a blob, and the first one in it. */
  size: number;
  archive: string;
  offset: number;
  /** Of a file's content; empty for everything else. */
  digest: string;
  /** Extended attributes, where it has some. */
  attributes?: Attributes;
  /** Of a folder. */
  children?: Map<string, FileNode>;
}

/** The most files of a context, and of a tree that is copied from. */
export const TREE_ENTRIES = 1_000_000;

/** Bounds on an archive that is indexed. */
export type TreeLimits = TarLimits;

/** Bytes of all extended attributes of a tree, which are kept in memory. */
const MOST_ATTRIBUTES = 64 << 20;

/** Links that are followed on the way to one file. */
const LINK_LIMIT = 40;

/** Files by path. */
export class FileTree {
  readonly root: FileNode;
  #attributes = 0;

  private constructor(root = newFolder()) {
    this.root = root;
  }

  /**
   * Reads an archive of the store once, and notes the digest of each file.
   *
   * @throws {LayerError} if the archive is broken, leads out of itself or passes a bound
   */
  static async read(
    { blobs, codec }: { blobs: Blobs; codec: Codec },
    archive: string,
    limits: TreeLimits,
    signal?: AbortSignal,
  ): Promise<FileTree> {
    const tree = new FileTree();
    const stream = await blobs.open(archive);
    if (stream === undefined) throw new EngineError("internal", `Read context: ${archive} is not in the store`);
    for await (const entry of tarEntries(stream, limits)) {
      signal?.throwIfAborted();
      await tree.#add(entry, archive, codec);
    }
    return tree;
  }

  /** A tree without files. */
  static empty(): FileTree {
    return new FileTree();
  }

  /** The same files without those of a rule. A folder stays while something in it does. */
  without(isOut: (path: string) => boolean): FileTree {
    const kept = new FileTree();
    const copy = (from: FileNode, to: FileNode, path: string) => {
      for (const [name, child] of from.children ?? []) {
        const childPath = path === "" ? name : `${path}/${name}`;
        const isGone = isOut(childPath);
        if (child.kind !== "folder") {
          if (!isGone) to.children!.set(name, child);
          continue;
        }
        const folder = { ...child, children: new Map<string, FileNode>() };
        copy(child, folder, childPath);
        if (!isGone || folder.children.size > 0) to.children!.set(name, folder);
      }
    };
    copy(this.root, kept.root, "");
    return kept;
  }

  /** The files of a folder, as a tree that no link leads out of; `undefined` where there is no such folder. */
  below(path: string): FileTree | undefined {
    const node = this.find(path);
    return node?.kind === "folder" ? new FileTree(node) : undefined;
  }

  /** Finds a path's file, links followed, the last one too; `undefined` where nothing is. */
  find(path: string): FileNode | undefined {
    return this.#resolve(path)?.at(-1)?.node;
  }

  /** The path of what is there, as it is after the links on the way to it. */
  realPath(path: string): string | undefined {
    return this.#resolve(path)?.slice(1).map(({ name }) => name).join("/");
  }

  #resolve(path: string): { name: string; node: FileNode }[] | undefined {
    let links = 0;
    let way = [{ name: "", node: this.root }];
    const left = path.split("/").reverse();
    while (left.length > 0) {
      const name = left.pop()!;
      if (name === "" || name === ".") continue;
      if (name === "..") {
        // Above the root there is the root: a link that leads out stays in.
        if (way.length > 1) way.pop();
        continue;
      }
      const node = way[way.length - 1].node.children?.get(name);
      if (node === undefined) return undefined;
      if (node.kind !== "symlink") {
        way.push({ name, node });
        continue;
      }
      if (++links > LINK_LIMIT) return undefined;
      if (node.link.startsWith("/")) way = way.slice(0, 1);
      left.push(...node.link.split("/").reverse());
    }
    return way;
  }

  /** Adds a file, a folder or a link; what is there gives way, but for the content of a folder. */
  add(path: string, node: FileNode): void {
    for (const text of node.attributes ?? []) this.#attributes += text.length;
    if (this.#attributes > MOST_ATTRIBUTES) {
      throw new EngineError("limit", `Read context: more than ${MOST_ATTRIBUTES} bytes of extended attributes`);
    }
    const { parent, name } = this.#place(path);
    const known = parent.children!.get(name);
    const children = known?.kind === "folder" ? known.children : new Map<string, FileNode>();
    parent.children!.set(name, node.kind === "folder" ? { ...node, children } : node);
  }

  /** Gives a file one more name. Throws `EngineError`: `invalid` where the other is none of a file before it. */
  addName(path: string, other: string): void {
    const target = this.#exact(other);
    if (target?.kind === "folder" || target === undefined) {
      throw new EngineError(
        "invalid",
        `Read context: the link "${path}" leads to "${other}", which is no file before it`,
      );
    }
    const { parent, name } = this.#place(path);
    parent.children!.set(name, target);
  }

  async #add(entry: TarEntry, archive: string, codec: Codec): Promise<void> {
    const { path, kind, mode, uid, gid, mtime, link, size, offset, attributes } = entry;
    const facts = { ...NO_CONTENT, mode, uid, gid, mtime, ...attributes && { attributes } };
    // Pipes and devices have no place in a context.
    if (path === "" || kind === "other") return;
    if (kind === "hardlink") this.addName(path, link);
    else if (kind === "symlink") this.add(path, { ...facts, kind, link });
    else if (kind === "folder") this.add(path, { ...facts, kind });
    else {
      const hash = codec.hash();
      for await (const bytes of entry.pieces()) await hash.update(bytes);
      this.add(path, { ...facts, kind, size, archive, offset, digest: await hash.digest() });
    }
  }

  #place(path: string): { parent: FileNode; name: string } {
    const parts = path.split("/");
    const name = parts.pop()!;
    return { parent: this.#folder(parts), name };
  }

  /** The folder of these names; what is none on the way gives way to one. */
  #folder(names: readonly string[]): FileNode {
    let folder = this.root;
    for (const name of names) {
      let child = folder.children!.get(name);
      if (child?.kind !== "folder") folder.children!.set(name, child = newFolder());
      folder = child;
    }
    return folder;
  }

  #exact(path: string): FileNode | undefined {
    let node: FileNode | undefined = this.root;
    for (const name of path.split("/")) if (name !== "" && name !== ".") node = node?.children?.get(name);
    return node;
  }
}

/** The facts of what has no content, and leads nowhere. */
export const NO_CONTENT = { link: "", size: 0, archive: "", offset: 0, digest: "" };

function newFolder(): FileNode {
  return { ...NO_CONTENT, kind: "folder", mode: 0o755, uid: 0, gid: 0, mtime: 0, children: new Map() };
}
