import { EngineError } from "../../errors.ts";
import type { FileNode, FileTree } from "./file_tree.ts";
import { parseIgnoreFile } from "./ignore_file.ts";
import { compilePathPattern, hasWildcard } from "./path_pattern.ts";

/** One file, folder or link on its way into a stage. */
export interface CopyItem {
  /** Below the destination; empty for what becomes the destination itself. */
  path: string;
  node: FileNode;
  /** The content, where it is not in the archive. */
  bytes?: Uint8Array;
}

/** The files to copy. */
export interface Selection {
  /** The sources that are folders give their content, and no item of their own. */
  items: CopyItem[];
  /** The one source is one file: it may get the destination's own name. */
  isOneFile: boolean;
  /** How many paths the sources meant. */
  sources: number;
}

/** Choices for {@linkcode selectFiles}. */
export interface SelectOptions {
  /** `COPY` or `ADD`, for messages. */
  keyword: string;
  /** Keep the folders that a source names. */
  parents?: boolean;
  exclude?: readonly string[];
}

/**
 * Finds the files that a `COPY` or `ADD` names. A folder stands for its content; of a link, the file it leads to is taken,
 * and links below a folder stay links.
 *
 * @throws {EngineError} `invalid` if a source leads out of the tree, or nothing fits it
 */
export function selectFiles(tree: FileTree, sources: readonly string[], options: SelectOptions): Selection {
  const { keyword, parents = false, exclude = [] } = options;
  const isOut = parseIgnoreFile(exclude);
  const items = new Map<string, CopyItem>();
  let files = 0;
  let count = 0;
  for (const source of sources) {
    const found = findSources(tree, source, keyword);
    count += found.length;
    for (const path of found) {
      const node = requireNode(tree.find(path), path, keyword);
      const name = path.split("/").at(-1) ?? "";
      if (node.kind !== "folder") {
        if (isOut(path)) continue;
        files++;
        const to = parents ? path : name;
        items.set(to, { path: to, node });
        continue;
      }
      files += 2;
      for (const [below, child] of walkFolder(node, "")) {
        if (isOut(path === "" ? below : `${path}/${below}`)) continue;
        const to = parents && path !== "" ? `${path}/${below}` : below;
        items.set(to, { path: to, node: child });
      }
    }
  }
  return { items: [...items.values()], isOneFile: files === 1 && !parents, sources: count };
}

/** The folders and files below which is all that sources can mean, but for what links there lead to. */
export function sourcePlaces(sources: readonly string[], keyword: string): string[] {
  return sources.map((source) => {
    const parts = partsOf(source, keyword);
    const end = parts.findIndex(hasWildcard);
    return parts.slice(0, end === -1 ? parts.length : end).join("/");
  });
}

/** The names of a source's path. Throws `invalid` where it leads out of the tree. */
function partsOf(source: string, keyword: string): string[] {
  const parts: string[] = [];
  for (const part of source.split("/")) {
    if (part === "..") {
      if (parts.pop() === undefined && !source.startsWith("/")) {
        throw new EngineError("invalid", `${keyword} failed: forbidden path outside the build context: ${source}`);
      }
    } else if (part !== "" && part !== ".") parts.push(part);
  }
  return parts;
}

/** The paths that a source means. */
function findSources(tree: FileTree, source: string, keyword: string): string[] {
  const path = partsOf(source, keyword).join("/");
  if (!hasWildcard(path)) {
    requireNode(tree.find(path), source, keyword);
    return [path];
  }
  const fits = compileSource(path, keyword);
  const found = [...walkFolder(tree.root, "")].map(([below]) => below).filter(fits);
  if (found.length > 0) return found;
  throw new EngineError("invalid", `${keyword} failed: no source files were specified: nothing fits "${source}"`);
}

function compileSource(path: string, keyword: string) {
  try {
    return compilePathPattern(path);
  } catch (error) {
    throw new EngineError("invalid", `${keyword} failed: ${error instanceof Error ? error.message : error}`);
  }
}

function requireNode(node: FileNode | undefined, path: string, keyword: string): FileNode {
  if (node) return node;
  const why = "file not found in build context or excluded by .dockerignore";
  throw new EngineError("invalid", `${keyword} failed: ${why}: stat ${path}: file does not exist`);
}

/** Everything below a folder by its path, folders before their content, names in order: the same files come in the same order. */
export function* walkFolder(folder: FileNode, path: string): Generator<[string, FileNode]> {
  const children = [...folder.children ?? []].sort(([a], [b]) => a < b ? -1 : 1);
  for (const [name, node] of children) {
    const below = path === "" ? name : `${path}/${name}`;
    yield [below, node];
    if (node.kind === "folder") yield* walkFolder(node, below);
  }
}
