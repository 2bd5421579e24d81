import { streamThen } from "../../../oci/bytes/byte_stream.ts";
import type { ContainerRecord } from "../../records/container_record.ts";
import { fillVolumes } from "../life/bring_up.ts";
import { type Context, isLive, withContainerLock } from "../context.ts";
import { requireHost } from "../../core.ts";
import type { EngineError } from "../../errors.ts";
import { improperState } from "../failures.ts";
import { messageOf } from "../../../oci/message_of.ts";
import { foreignNamespace, namespaceOwner, treeOptions } from "../life/users.ts";

/** A container's tree, mounted until it is disposed of; once more does nothing. */
export interface HeldTree extends AsyncDisposable {
  /** As it was when the tree was taken. */
  readonly record: ContainerRecord;
  /** The path where the tree is mounted. */
  readonly root: string;
}

/**
 * Takes a container's tree for work on its files. The container's lock is held only meanwhile: it may start, end and be
 * removed while the work goes on. `filled` fills its volumes first, as its start would.
 */
export async function holdTree(
  context: Context,
  nameOrID: string,
  options: { filled?: boolean } = {},
): Promise<HeldTree> {
  const { id } = context.records.resolve(nameOrID);
  return await withContainerLock(context, id, async () => {
    const record = context.records.require(id);
    if (record.state.status === "removing") {
      throw improperState(`cannot mount container ${id} as it is being removed`);
    }
    context.treeUses.take(id);
    try {
      const { path: root, rootOwner } = await mountForWork(context, record);
      if (options.filled && !isLive(record)) await fillVolumes(context, record, rootOwner);
      let given: Promise<void> | undefined;
      const back = () => given ??= withContainerLock(context, id, () => giveBack(context, id));
      return { record, root, [Symbol.asyncDispose]: back };
    } catch (error) {
      await giveBack(context, id);
      throw error;
    }
  });
}

/**
 * A stream of what is in a tree, of type `bytes` where that is, that gives the tree back when it has ended, failed or been cancelled. It fails where the
 * container is being removed at its end: what is missing then would be taken for never having been there.
 */
export function holdWhileRead(
  context: Context,
  tree: HeldTree,
  stream: ReadableStream<Uint8Array>,
): ReadableStream<Uint8Array> {
  return streamThen(stream, async (how) => {
    await tree[Symbol.asyncDispose]();
    if (how === "ended") requireStill(context, tree, "read");
  });
}

/** Throws where the container has been removed, or is being, while its files were worked on; `cause` is how the work failed, if it did. */
export function requireStill(
  context: Context,
  { record: { id } }: HeldTree,
  done: "read" | "written",
  cause?: unknown,
): void {
  const status = context.records.get(id)?.state.status;
  if (status === undefined || status === "removing") throw removedMeanwhile(id, done, cause);
}

/** The failure of work on the files of a container that was removed meanwhile. */
export function removedMeanwhile(id: string, done: "read" | "written", cause?: unknown): EngineError {
  return improperState(`the files of container ${id} were removed while they were ${done}`, { cause });
}

/** Mounts a container's tree as its start would, and gives its path. Its user namespace is there for the mount alone. */
export async function mountForWork(
  context: Context,
  record: ContainerRecord,
): Promise<{ path: string; rootOwner?: { uid: number; gid: number } }> {
  const { layers, processes, trees } = requireHost(context.core);
  const { id, idMaps: maps, diffIDs } = record;
  if (maps === undefined || isLive(record) || await trees.isMounted(id)) {
    return { path: await layers.mount(id, diffIDs, treeOptions(record, undefined)) };
  }
  // Somebody else's may be gone by now: one with the same mappings does as well.
  const isForeign = foreignNamespace(context, record) !== undefined;
  const join = isForeign ? undefined : namespaceOwner(context, record);
  const userns = await requireHost(context.core).users.create(id, { maps, join, network: false });
  try {
    const options = treeOptions(record, userns);
    return { path: await layers.mount(id, diffIDs, options), rootOwner: options.rootOwner };
  } finally {
    await processes.delete(id);
  }
}

async function giveBack(context: Context, id: string): Promise<void> {
  context.treeUses.release(id);
  const record = context.records.get(id);
  if (record === undefined || isLive(record)) return;
  try {
    await context.treeUses.unmount(record);
  } catch (error) {
    context.core.log("warn", `Unmount the tree of container ${id}: ${messageOf(error)}`);
  }
}
