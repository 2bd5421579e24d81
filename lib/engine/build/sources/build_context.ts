/**
 * A build's context: written into the store once, and read from there.
 *
 * @module
 */
import type { TarLimits } from "../../../oci/tar/tar_entries.ts";
import type { Core } from "../../core.ts";
import { EngineError } from "../../errors.ts";
import { decompress } from "../../images/ingest/decompress.ts";
import type { Claim } from "../../images/store/content.ts";
import { contextFailure } from "../context/context_failure.ts";
import { FileTree, TREE_ENTRIES } from "../context/file_tree.ts";
import { parseIgnoreFile } from "../context/ignore_file.ts";
import { DOCKERFILE_LIMIT } from "../dockerfile/read_instructions.ts";

/** The names under which a context says what is no part of it; the first that is there counts. */
const IGNORE_FILES = [".containerignore", ".dockerignore"];

/**
 * Spools an archive, plain or compressed, and reads which files it has. The claim holds it until the build ends.
 *
 * @param more Which entries are no part of it, and whether it may end short
 */
export async function spoolTree(
  core: Core,
  claim: Claim,
  archive: ReadableStream<Uint8Array>,
  signal: AbortSignal,
  more: Pick<TarLimits, "passesOver" | "mayEndShort"> = {},
): Promise<FileTree> {
  const { ports, options: { limits } } = core;
  const admit = (digest: string) => claim.admit(`blob:${digest}`, signal);
  try {
    const plain = await decompress(ports.codec, archive);
    const choices = { limit: limits.layerBytes, admit, signal, isScratch: true };
    const { digest, size } = await ports.blobs.put(plain, choices);
    if (size === 0) return FileTree.empty();
    return await FileTree.read(ports, digest, { ...more, entries: TREE_ENTRIES, bytes: limits.layerBytes }, signal);
  } catch (error) {
    throw contextFailure(error);
  }
}

/** The context without what its ignore file, or the caller, leaves out. */
export async function applyIgnoreFile(
  core: Core,
  tree: FileTree,
  exclude: readonly string[] | undefined,
  dockerfile?: string,
): Promise<FileTree> {
  // A Dockerfile's own goes before that of all.
  const names = [...dockerfile === undefined ? [] : [`${dockerfile}.dockerignore`], ...IGNORE_FILES];
  const name = names.find((file) => tree.find(file)?.kind === "file");
  const own = name === undefined ? [] : (await readText(core, tree, name)).split(/\r?\n/);
  return tree.without(parseIgnoreFile(exclude ?? own));
}

/** Reads a small file of a tree as text. Throws `EngineError`: `invalid` or `missing` where there is none, `invalid` for a large one. */
export async function readText(
  core: Core,
  tree: FileTree,
  path: string,
  missing: "invalid" | "no_such_file" = "invalid",
): Promise<string> {
  if (tree.find(path)?.kind === "file") return new TextDecoder().decode(await readBytes(core, tree, path));
  throw new EngineError(missing, `Cannot locate specified Dockerfile: ${path}: it is not in the build context`);
}

/** The same as bytes. */
export async function readBytes(core: Core, tree: FileTree, path: string): Promise<Uint8Array<ArrayBuffer>> {
  const node = tree.find(path);
  if (node === undefined || node.kind === "folder") {
    throw new EngineError("invalid", `${path}: it is not in the build context`);
  }
  if (node.size > DOCKERFILE_LIMIT) {
    throw new EngineError("invalid", `${path} has ${node.size} bytes, at most ${DOCKERFILE_LIMIT} are read`);
  }
  if (node.size === 0) return new Uint8Array(0);
  const range = { start: node.offset, end: node.offset + node.size };
  const stream = await core.ports.blobs.open(node.archive, range);
  return new Uint8Array(await new Response(stream ?? "").arrayBuffer());
}
