/**
 * The paths that a layer has written so far: enough to refuse an entry that would be written through a link, or out of the layer.
 *
 * @module
 */
import { LayerError } from "./layer_error.ts";
import type { LayerLimits } from "./layer_limits.ts";

/** A folder's header fields, kept so that it can be written again. */
export interface FolderFacts {
  mode: number;
  uid: number;
  gid: number;
  mtime: number;
  /** Its PAX records, raw. */
  records: readonly Uint8Array[];
  opaque: boolean;
}

/** The kind of an entry, as far as others depend on it. */
export type Kind = "file" | "symlink" | "whiteout";

const COMPONENT_LIMIT = 255;

/**
 * The path without `.` components, doubled and final slashes; `""` is the layer's root.
 *
 * Throws {@linkcode LayerError} for absolute paths but `/` itself, which some builders write for the root, `..`, and names no file system takes.
 */
export function layerPath(path: string, limit: number): string {
  if (path.length > limit) throw new LayerError("limit", `a path is longer than ${limit} bytes`);
  if (path.startsWith("/") && !isRootPath(path)) {
    throw new LayerError("unsafe", `"${showPath(path)}" is an absolute path`);
  }
  if (path.includes("\0")) throw new LayerError("corrupt", "a path holds a zero byte");
  const plain = !/(?:^|\/)\.{0,2}(?:\/|$)/.test(path) && path.length <= COMPONENT_LIMIT;
  if (plain) return path;
  const components = path.split("/").filter((component) => component !== "" && component !== ".");
  if (components.includes("..")) throw new LayerError("unsafe", `"${showPath(path)}" leaves the layer`);
  if (components.some((component) => component.length > COMPONENT_LIMIT)) {
    throw new LayerError("limit", `a file name is longer than ${COMPONENT_LIMIT} bytes`);
  }
  return components.join("/");
}

/** Whether a path of an archive is nothing but slashes: Python's tarfile writes its root so. */
export function isRootPath(path: string): boolean {
  return /^\/+$/.test(path);
}

/** A path of bytes for an error message. */
export function showPath(path: string): string {
  const bytes = Uint8Array.from(path.slice(0, 200), (letter) => letter.charCodeAt(0));
  return new TextDecoder().decode(bytes).replace(/\p{C}/gu, "?");
}

type Node = Kind | FolderFacts | "implied";

/** The tree of one layer. Paths are {@linkcode layerPath}'s. Throws {@linkcode LayerError} when it would grow past its bounds. */
export class LayerTree {
  readonly #nodes = new Map<string, Node>();
  readonly #limits: Pick<LayerLimits, "entries" | "memory">;
  #memory = 0;

  constructor(limits: Pick<LayerLimits, "entries" | "memory">) {
    this.#limits = limits;
  }

  /** The folder at the path, if an entry made it. */
  folder(path: string): FolderFacts | undefined {
    const node = this.#nodes.get(path);
    return typeof node === "object" ? node : undefined;
  }

  kind(path: string): Kind | "folder" | undefined {
    const node = this.#nodes.get(path);
    return typeof node === "object" || node === "implied" ? "folder" : node;
  }

  /**
   * Checks that every folder above the path is one, and remembers those that no entry has made.
   *
   * @returns the whiteouts among them, which have to become opaque folders before anything is written into them.
   */
  enter(path: string): string[] {
    const hidden: string[] = [];
    for (let slash = path.lastIndexOf("/"); slash > 0; slash = path.lastIndexOf("/", slash - 1)) {
      const parent = path.slice(0, slash);
      const node = this.#nodes.get(parent);
      // A folder's own parents were checked when it came.
      if (typeof node === "object" || node === "implied") break;
      if (node === "symlink") {
        throw new LayerError("unsafe", `"${showPath(path)}" would be written through a symbolic link`);
      }
      if (node === "file") throw new LayerError("corrupt", `"${showPath(path)}" is under a file`);
      if (node === "whiteout") hidden.unshift(parent);
      this.#set(parent, "implied");
    }
    return hidden;
  }

  /** Remembers a file, link or whiteout. */
  put(path: string, kind: Kind): void {
    const old = this.#nodes.get(path);
    if (path === "" || typeof old === "object" || old === "implied") {
      throw new LayerError("corrupt", `"${showPath(path)}" is a folder and then something else`);
    }
    this.#set(path, kind);
  }

  /** Remembers a folder. */
  putFolder(path: string, facts: FolderFacts): void {
    const old = this.#nodes.get(path);
    if (old === "symlink" || old === "file") {
      throw new LayerError("corrupt", `"${showPath(path)}" is a file and then a folder`);
    }
    this.#set(path, facts);
  }

  #set(path: string, node: Node): void {
    const old = this.#nodes.get(path);
    this.#memory += attributesOf(node) - attributesOf(old) + (old === undefined ? path.length : 0);
    if (this.#memory > this.#limits.memory) {
      throw new LayerError("limit", `names and attributes of more than ${this.#limits.memory} bytes`);
    }
    this.#nodes.set(path, node);
    if (this.#nodes.size > this.#limits.entries) {
      throw new LayerError("limit", `more than ${this.#limits.entries} files and folders`);
    }
  }
}

function attributesOf(node: Node | undefined): number {
  return typeof node === "object" ? node.records.reduce((sum, { length }) => sum + length, 0) : 0;
}
