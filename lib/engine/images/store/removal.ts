import type { Core } from "../../core.ts";
import { EngineError } from "../../errors.ts";
import type { ImageRecord } from "../../records/image_record.ts";
import type { Catalogue } from "./catalogue.ts";
import { type Content, keysOf } from "./content.ts";
import type { Found } from "./lookup.ts";
import type { ImageUsers, RemoveImageOptions, RemoveImageReport } from "../types.ts";

/** The context of a removal. */
export interface RemovalContext {
  core: Pick<Core, "events">;
  catalogue: Catalogue;
  content: Content;
  users: ImageUsers;
  /** Whether somebody is about to use the image. */
  isPinned(id: string): boolean;
}

/** The subject of a removal: an image as a text found it, or an image as such, whatever its names. */
export type Doomed = Found | { image: Readonly<ImageRecord>; name: string; by: "all" };

/**
 * Removes what a text found, by Podman's rules: a name goes alone while the image has others; the last one, an ID or a digest
 * takes the image along, with all that no other image or container needs, and with the nameless images it was built on.
 *
 * Throws `EngineError("in_use")` for an image containers use, and for one with several names asked for by ID, unless forced.
 */
export async function removeImage(
  context: RemovalContext,
  { image, name, by }: Doomed,
  options: RemoveImageOptions,
): Promise<RemoveImageReport> {
  const { catalogue } = context;
  if (options.onlyLists && image.list === undefined) {
    throw new EngineError("state", `${name}: image is not a manifest list`);
  }
  if ((by === "id" || by === "digest") && image.names.length > 1 && !options.force) {
    const what = by === "id" ? "ID" : "digest";
    const text = `unable to delete image "${image.id}" by ${what} with more than one tag (${image.names.join(", ")})`;
    throw new EngineError("in_use", `${text}: please force removal`);
  }
  const report: RemoveImageReport = { untagged: [], deleted: [], removed: [] };
  if (by === "name" && image.names.length !== 1 && image.names.includes(name)) {
    const { gone, left } = await catalogue.unname(image.id, [name]);
    tell(context, "untag", image.id, gone);
    report.untagged.push(...gone);
    if (left && left.names.length > 0) return report;
  }
  await removeWhole(context, { image, name, by }, options, report);
  return report;
}

/** Removes an image, and then those it was built on while they are of use to nobody. */
async function removeWhole(
  context: RemovalContext,
  { image, name }: Doomed,
  options: RemoveImageOptions,
  report: RemoveImageReport,
): Promise<void> {
  const { relations } = context.catalogue;
  let doomed: { image: Readonly<ImageRecord>; name: string } | undefined = { image, name };
  while (doomed) {
    const hadChildren = relations.hasChildren(doomed.image);
    const removed = await removeOne(context, doomed.image, options);
    if (!removed) return;
    tell(context, "untag", removed.id, removed.names);
    tell(context, "remove", removed.id, [doomed.name]);
    report.untagged.push(...removed.names);
    report.removed.push({ id: removed.id, size: removed.freed });
    // Images that were built on it go on holding its content.
    if (!hadChildren) report.deleted.push(removed.id);
    if (options.noPrune) return;
    const parent: Readonly<ImageRecord> | undefined = relations.parentOf(removed);
    doomed = parent && relations.isDangling(parent) && isFree(context, parent.id)
      ? { image: parent, name: parent.id }
      : undefined;
  }
}

async function removeOne(
  context: RemovalContext,
  image: ImageRecord,
  { force = false, keepRunning = false }: RemoveImageOptions,
): Promise<ImageRecord & { freed: number } | undefined> {
  const { catalogue, content, users } = context;
  if (force) {
    const using = users.of(image.id);
    const running = keepRunning ? using.find(({ running }) => running) : undefined;
    if (running) {
      const sentinel = "container state improper";
      const why = "running or paused containers cannot be removed without force";
      throw new EngineError("in_use", `cannot remove container ${running.id} as it is running - ${why}: ${sentinel}`, {
        sentinel,
      });
    }
    for (const { id } of using) await users.remove(id);
  }
  // Asked once more where nobody can come between the answer and the removal.
  const removed = await catalogue.remove(image.id, () => {
    const user = users.of(image.id)[0]?.id;
    if (user !== undefined) throw usedBy(user);
    if (context.isPinned(image.id)) throw usedBy("a container that is being created");
    return true;
  });
  if (removed === undefined) return undefined;
  const sizes = new Map(
    removed.layers.map(({ diffID, size }) => [`layer:${diffID}`, content.layerSize(diffID) ?? size]),
  );
  const gone = await content.release(keysOf(removed), "delete");
  return { ...removed, freed: gone.reduce((sum, key) => sum + (sizes.get(key) ?? 0), 0) };
}

function isFree(context: RemovalContext, id: string): boolean {
  return context.users.of(id).length === 0 && !context.isPinned(id);
}

function usedBy(container: string): EngineError {
  const sentinel = "image is in use by a container";
  const advice = "consider listing external containers and force-removing image";
  return new EngineError("in_use", `image used by ${container}: ${sentinel}: ${advice}`, { sentinel });
}

function tell({ core }: RemovalContext, action: string, id: string, names: readonly string[]): void {
  for (const name of names) core.events.emit({ type: "image", action, id, name });
}
