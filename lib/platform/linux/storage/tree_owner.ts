/**
 * The owners of the folders of a container's tree.
 *
 * @module
 */
import { chmod, chown, stat } from "node:fs/promises";
import { join } from "node:path";
import type { TreeOptions } from "../../../engine/ports/tree_stack.ts";

/** Gives a folder the owner and mode of a model: an overlay's root shows those of its upper folder. */
export async function lookLike(folder: string, model: string): Promise<void> {
  const { uid, gid, mode } = await stat(model);
  await chown(folder, uid, gid);
  await chmod(folder, mode & 0o7777);
}

/** The root of a container's users owns its tree, and passes through the folder that the tree is in. */
export async function giveTo(folder: string, owner: TreeOptions["rootOwner"]): Promise<void> {
  if (owner === undefined) return;
  await chown(join(folder, "upper"), owner.uid, owner.gid);
  await chown(folder, 0, owner.gid);
  await chmod(folder, 0o710);
}
