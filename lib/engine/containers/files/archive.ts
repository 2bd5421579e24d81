/** Files into containers and out of them, as tar archives. */
import type { ContainerRecord } from "../../records/container_record.ts";
import { EngineError, invalid, reworded } from "../../errors.ts";
import type { FileFacts, StoredEntries, TreePath } from "../../ports/tree_port.ts";
import type { Context } from "../context.ts";
import { requireHost } from "../../core.ts";
import { isCode } from "../failures.ts";
import { cleanPath } from "../../../oci/clean_path.ts";
import { archiveFailure, archiveInput } from "./archive_input.ts";
import { absolutePath, treePath } from "./tree_path.ts";
import { type HeldTree, holdTree, holdWhileRead, requireStill } from "./held_tree.ts";

/** The longest path the kernel takes. */
const PATH_LIMIT = 4095;

/** The facts about a path, as clients get them. */
export interface PathFacts extends FileFacts {
  name: string;
  /** The path in the container: what a link leads to, else the path itself, its end as the client spelled it. */
  linkTarget: string;
}

/** Choices for {@linkcode readArchive}. */
export interface ReadOptions {
  /** Begin names with `./` where the path ends in `/.`: how Docker's client expects them, and Podman's does not. */
  dotted?: boolean;
  /** Read a symbolic link itself, as Docker does; Podman reads the file or folder to which it leads. */
  keepLink?: boolean;
  /** Ends the look at the path: a container may serve it itself, and never answer. The archive's own end is its cancelling. */
  signal?: AbortSignal;
}

/** Choices for {@linkcode writeArchive}. */
export interface WriteOptions {
  /** Give all of it to the container's user; else the archive's owners stand. */
  chown?: boolean;
  /** Never put a folder in place of something else, nor the other way round. */
  keepKinds?: boolean;
  /** Throw `no_such_file` where the path is missing, as Docker does; Podman makes folders there. */
  mustExist?: boolean;
  /** New names for what the archive holds, by its names there. */
  rename?: Record<string, string>;
  signal?: AbortSignal;
}

/** Tells what is at a path of a container. Throws `no_such_file`. */
export async function statPath(
  context: Context,
  nameOrID: string,
  path: string,
  signal?: AbortSignal,
): Promise<PathFacts> {
  requireHost(context.core);
  const spelled = requirePath(path);
  await using tree = await holdTree(context, nameOrID);
  const facts = await withPlace(context, tree, spelled, (place) => requireHost(context.core).trees.stat(place, signal));
  return viewFacts(tree.record, spelled, facts);
}

/** Reads the facts about a path, and its content as a tar archive that belongs to the container's user. */
export async function readArchive(
  context: Context,
  nameOrID: string,
  path: string,
  { dotted, keepLink = false, signal }: ReadOptions = {},
): Promise<{ facts: PathFacts; archive?: ReadableStream<Uint8Array> }> {
  requireHost(context.core);
  const spelled = requirePath(path);
  const tree = await holdTree(context, nameOrID);
  const { record } = tree;
  try {
    const options = { owner: record.process.user, dotted, keepLink: keepLink && namesItself(spelled), signal };
    const found = await withPlace(
      context,
      tree,
      spelled,
      (place) => requireHost(context.core).trees.read(place, options),
    );
    const facts = viewFacts(record, spelled, found.facts);
    if (facts.exists) return { facts, archive: holdWhileRead(context, tree, found.archive) };
    await found.archive.cancel();
    await tree[Symbol.asyncDispose]();
    return { facts };
  } catch (error) {
    await tree[Symbol.asyncDispose]();
    throw error;
  }
}

/** Unpacks an archive, plain or compressed, at a path, which is made where it is missing unless it must exist. */
export async function writeArchive(
  context: Context,
  nameOrID: string,
  path: string,
  archive: ReadableStream<Uint8Array>,
  options: WriteOptions = {},
): Promise<void> {
  const open = async () => ({ entries: await archiveInput(context.core, archive, options.rename), files: [] });
  await writeEntries(context, nameOrID, path, open, options);
}

/** Makes entries at a path in the same way. */
export async function writeEntries(
  context: Context,
  nameOrID: string,
  path: string,
  open: () => Promise<StoredEntries>,
  options: Omit<WriteOptions, "rename"> = {},
): Promise<void> {
  requireHost(context.core);
  const spelled = checkPath(path);
  await using tree = await holdTree(context, nameOrID, { filled: true });
  const { record } = tree;
  context.warm.requireTaken(record);
  const { entries, files } = await open();
  const owner = options.chown ? record.process.user : undefined;
  const { keepKinds, mustExist, signal } = options;
  try {
    await withPlace(context, tree, spelled, (place) => {
      if (place.mount?.readOnly) throw invalid(`"${place.mount.destination}" is mounted read-only`);
      // As Docker has it; Podman writes. The kernel refuses where a process is looked through.
      if (record.spec.readOnly && place.pid === undefined && place.mount === undefined) {
        throw invalid("container rootfs is marked read-only");
      }
      return requireHost(context.core).trees.write(place, entries, { owner, keepKinds, mustExist, files, signal });
    });
    requireStill(context, tree, "written");
  } catch (error) {
    if (!entries.locked) await entries.cancel(error).catch(() => {});
    // A tree that is taken away fails in many ways, which all have this one reason.
    requireStill(context, tree, "written", error);
    throw archiveFailure(error);
  }
}

/** Works at a path. An error that nothing is there names it. */
async function withPlace<T>(
  context: Context,
  tree: HeldTree,
  path: string,
  work: (place: TreePath) => Promise<T>,
): Promise<T> {
  try {
    return await whileItLasts(context, tree, path, work);
  } catch (error) {
    if (!(error instanceof EngineError) || error.code !== "no_such_file") throw error;
    throw reworded(error, `"${path}" in container ${tree.record.name}: ${error.message}`);
  }
}

/** A process that has ended meanwhile sees nothing: then the tree is looked at without it. */
async function whileItLasts<T>(
  context: Context,
  tree: HeldTree,
  path: string,
  work: (place: TreePath) => Promise<T>,
): Promise<T> {
  const { record, root } = tree;
  const place = treePath(context, tree, absolutePath(record, path));
  try {
    return await work(place);
  } catch (error) {
    if (place.pid === undefined || !isCode(error, "state")) throw error;
    const ended = { ...record, state: { ...record.state, status: "exited" as const } };
    return await work(treePath(context, { record: ended, root }, place.path));
  }
}

function checkPath(path: string): string {
  if (path.includes("\0") || path.length > PATH_LIMIT) throw invalid("a path is too long, or has a NUL byte");
  return path === "/" ? "/." : path;
}

/** The path of something to look at: clients are told of wildcards that nothing is there. */
function requirePath(path: string): string {
  if (path.includes("*")) throw new EngineError("no_such_file", "no such file or directory");
  return checkPath(path);
}

/** Whether a path means a link itself, where there is one: with a slash or `/.` at its end it means the folder to which the link leads. */
export function namesItself(path: string): boolean {
  return !/\/\.?$/.test(path);
}

function viewFacts(record: ContainerRecord, path: string, facts: FileFacts): PathFacts {
  let linkTarget = facts.target ?? cleanPath(absolutePath(record, path));
  const last = path.slice(path.lastIndexOf("/") + 1);
  if (last === ".") linkTarget = linkTarget.endsWith("/") ? `${linkTarget}.` : `${linkTarget}/.`;
  else if (path.endsWith("/") && !linkTarget.endsWith("/")) linkTarget += "/";
  const name = linkTarget.split("/").filter((part) => part !== "").at(-1) ?? "/";
  return { ...facts, name, linkTarget };
}
