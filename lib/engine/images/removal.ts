import type { Core } from "../core.ts";
import { EngineError } from "../errors.ts";
import type { ImageRecord } from "../image_record.ts";
import type { Catalogue } from "./catalogue.ts";
import { type Content, keysOf } from "./content.ts";
import type { Found } from "./lookup.ts";
import type { ImageUsers, RemoveImageOptions, RemoveImageReport } from "./types.ts";

/** What a removal works with. */
export interface RemovalContext {
  core: Pick<Core, "events">;
  catalogue: Catalogue;
  content: Content;
  users: ImageUsers;
  /** Whether somebody is about to use the image. */
  isPinned(id: string): boolean;
}

/**
 * Removes what a text found, by Podman's rules: a name goes alone while the image has others; the last one, an ID or a digest
 * takes the image along, with all that no other image or container needs.
 *
 * Throws `EngineError("in_use")` for an image containers use, and for one with several names asked for by ID, unless forced.
 */
export async function removeImage(
  context: RemovalContext,
  { image, name, by }: Found,
  { force = false }: RemoveImageOptions,
): Promise<RemoveImageReport> {
  const { catalogue } = context;
  if (by !== "name" && image.names.length > 1 && !force) {
    const what = by === "id" ? "ID" : "digest";
    const text = `unable to delete image "${image.id}" by ${what} with more than one tag (${image.names.join(", ")})`;
    throw new EngineError("in_use", `${text}: please force removal`);
  }
  const untagged: string[] = [];
  if (by === "name" && image.names.length !== 1 && image.names.includes(name)) {
    const { gone, left } = await catalogue.unname(image.id, [name]);
    tell(context, "untag", image.id, gone);
    untagged.push(...gone);
    if (left && left.names.length > 0) return { untagged, deleted: [], exitCode: 0 };
  }
  const removed = await removeWhole(context, image, force);
  if (!removed) return { untagged, deleted: [], exitCode: 0 };
  tell(context, "untag", removed.id, removed.names);
  tell(context, "remove", removed.id, [name]);
  return { untagged: [...untagged, ...removed.names], deleted: [removed.id], exitCode: 0 };
}

async function removeWhole(
  context: RemovalContext,
  image: ImageRecord,
  force: boolean,
): Promise<ImageRecord | undefined> {
  const { catalogue, content, users } = context;
  if (force) { for (const { id } of users.of(image.id)) await users.remove(id); }
  // Asked once more where nobody can come between the answer and the removal.
  const removed = await catalogue.remove(image.id, () => {
    const user = users.of(image.id)[0]?.id;
    if (user !== undefined) throw usedBy(user);
    if (context.isPinned(image.id)) throw usedBy("a container that is being created");
    return true;
  });
  if (removed) await content.release(keysOf(removed), "delete");
  return removed;
}

function usedBy(container: string): EngineError {
  const sentinel = "image is in use by a container";
  const advice = "consider listing external containers and force-removing image";
  return new EngineError("in_use", `image used by ${container}: ${sentinel}: ${advice}`, { sentinel });
}

function tell({ core }: RemovalContext, action: string, id: string, names: readonly string[]): void {
  for (const name of names) core.events.emit({ type: "image", action, id, name });
}
