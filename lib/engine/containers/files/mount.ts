import { type Context, emitEvent, isLive, withContainerLock } from "../context.ts";
import { requireHost } from "../../core.ts";
import { improperState } from "../failures.ts";
import { treeOptions } from "../life/users.ts";
import { mountForWork } from "./held_tree.ts";

/** Mounts a container's tree for the host's users, once more each time, and gives its path there. */
export function mountContainer(context: Context, nameOrID: string): Promise<string> {
  requireHost(context.core);
  const { id } = context.records.resolve(nameOrID);
  return withContainerLock(context, id, async () => {
    const record = context.records.require(id);
    context.warm.requireTaken(record);
    if (record.state.status === "removing") {
      throw improperState(`cannot mount container ${id} as it is being removed`);
    }
    const { treeUses, core } = context;
    // Counted before it is there: what is counted and not mounted recovery forgets.
    const before = treeUses.count(id);
    await core.state.commit([treeUses.setCount(id, before + 1)]);
    try {
      const { path } = await mountForWork(context, record);
      emitEvent(context, record, "mount");
      return path;
    } catch (error) {
      await core.state.commit([treeUses.setCount(id, before)]);
      throw error;
    }
  });
}

/**
 * Takes back one mount, or all with `force`; the last one unmounts the tree. Nothing where there is none. A mount that a
 * process still needs stays: `state`.
 */
export function unmountContainer(
  context: Context,
  nameOrID: string,
  options: { force?: boolean } = {},
): Promise<void> {
  requireHost(context.core);
  const { id } = context.records.resolve(nameOrID);
  return withContainerLock(context, id, async () => {
    const record = context.records.require(id);
    const { treeUses, core } = context;
    const count = treeUses.count(id);
    if (count === 0 && isLive(record)) {
      throw improperState(`cannot unmount storage for container ${id} as it is running or paused`);
    }
    if (count > 0) await core.state.commit([treeUses.setCount(id, options.force ? 0 : count - 1)]);
    if (!isLive(record)) await treeUses.unmount(record);
    emitEvent(context, record, "unmount");
  });
}

/** The host's paths of the trees that are mounted, by container ID: of processes and of users. */
export async function mountedContainers(context: Context): Promise<Record<string, string>> {
  const { layers } = requireHost(context.core);
  const mounted = context.records.all().filter((record) => isLive(record) || context.treeUses.count(record.id) > 0);
  const paths = await Promise.all(mounted.map(async (record) => {
    const { id, diffIDs } = record;
    return [id, await layers.mount(id, diffIDs, treeOptions(record, undefined))] as const;
  }));
  return Object.fromEntries(paths);
}
