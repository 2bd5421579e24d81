/** Checks of the trees of containers: writable layers, and mounts that were left over. */
import { hostOf } from "../../core.ts";
import { type Context, isLive, withContainerLock } from "../context.ts";
import { CREATE_INTENT } from "../create/create.ts";
import { REMOVE_INTENT } from "../remove.ts";

/** The result of {@linkcode checkTrees}. */
export interface TreeDamage {
  /** IDs of containers whose writable layer is missing. */
  bare: string[];
  /** IDs of containers without a process whose tree is mounted, though nobody uses it. */
  mounted: string[];
  /** IDs of writable layers that no container has. */
  unknown: string[];
}

/** Compares the records of containers with their trees on the host. */
export async function checkTrees(context: Context): Promise<TreeDamage> {
  const host = hostOf(context.core);
  const damage: TreeDamage = { bare: [], mounted: [], unknown: [] };
  if (host === undefined) return damage;
  const present = new Set(await host.layers.containers());
  for (const id of present) if (isUnknown(context, id)) damage.unknown.push(id);
  for (const { id, state, spec } of context.records.all()) {
    // A removal that has begun ends by itself.
    if (state.status === "removing") continue;
    if (!present.has(id) && spec.rootfs === undefined && context.records.get(id)) damage.bare.push(id);
    if (await isLeftMounted(context, id)) damage.mounted.push(id);
  }
  return damage;
}

/** Unmounts a tree that {@linkcode checkTrees} found, unless it is used now. */
export async function unmountLeftover(context: Context, id: string): Promise<void> {
  await withContainerLock(context, id, async () => {
    const record = context.records.get(id);
    if (record !== undefined && await isLeftMounted(context, id)) await context.treeUses.unmount(record);
  });
}

/** Deletes a writable layer that no container has. Tells whether it did. */
export async function removeUnknown(context: Context, id: string): Promise<boolean> {
  return await withContainerLock(context, id, async () => {
    if (!isUnknown(context, id)) return false;
    await hostOf(context.core)?.layers.destroy(id);
    return true;
  });
}

/** Whether a tree of these containers is mounted now: their layers must stay as they are. */
export async function isAnyMounted(context: Context, ids: readonly string[]): Promise<boolean> {
  const trees = hostOf(context.core)?.trees;
  for (const id of ids) if (await trees?.isMounted(id)) return true;
  return false;
}

function isUnknown({ core: { intents }, records }: Context, id: string): boolean {
  const isChanging = [...intents.open(CREATE_INTENT), ...intents.open(REMOVE_INTENT)].some(({ subject }) =>
    subject === id
  );
  return records.get(id) === undefined && !isChanging;
}

async function isLeftMounted(context: Context, id: string): Promise<boolean> {
  const record = context.records.get(id);
  if (record === undefined || isLive(record) || context.treeUses.isUsed(id)) return false;
  return await hostOf(context.core)?.trees.isMounted(id) ?? false;
}
