import { EngineError } from "../../errors.ts";
import type { ImageRecord } from "../../records/image_record.ts";
import type { Found } from "./lookup.ts";
import { type Doomed, type RemovalContext, removeImage } from "./removal.ts";
import type { RemoveImageOptions, RemoveImageReport } from "../types.ts";

/** The outcome of several removals. */
export interface RemoveManyReport extends Pick<RemoveImageReport, "untagged" | "deleted"> {
  /** The failures; the other images were removed all the same. */
  errors: EngineError[];
}

/**
 * Removes what several texts name. All are looked up first, so that one that names what another has removed is no error.
 *
 * @param find Finds an image by a text, or throws
 */
export async function removeMany(
  context: RemovalContext,
  names: readonly string[],
  options: RemoveImageOptions,
  find: (text: string) => Found,
): Promise<RemoveManyReport> {
  const doomed: Doomed[] = [];
  const errors: EngineError[] = [];
  for (const name of names) {
    try {
      doomed.push(find(name));
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      if (!options.ignore || error.code !== "no_such_image") errors.push(error);
    }
  }
  const report = await removeAll(context, doomed, options);
  return { ...report, errors: [...errors, ...report.errors] };
}

/** Removes images one after the other; those that another's removal took along are no error. */
export async function removeAll(
  context: RemovalContext,
  doomed: readonly Doomed[],
  options: RemoveImageOptions,
): Promise<RemoveManyReport> {
  const report: RemoveManyReport = { untagged: [], deleted: [], errors: [] };
  for (const { image, name, by } of doomed) {
    const current = context.catalogue.get(image.id);
    if (!current) continue;
    try {
      // The names may have changed with the removals before.
      const { untagged, deleted } = await removeImage(context, { image: current, name, by }, options);
      report.untagged.push(...untagged);
      report.deleted.push(...deleted);
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      report.errors.push(error);
    }
  }
  return report;
}

/**
 * Removes the images that fit and that no container uses, until there are none: one may have kept another. Parts of images
 * whose transfer was cut go, too.
 *
 * @param fits Says of the images there are which are to go
 */
export async function pruneImages(
  context: RemovalContext,
  fits: (images: readonly Readonly<ImageRecord>[]) => readonly Readonly<ImageRecord>[],
): Promise<RemoveImageReport["removed"]> {
  const pruned: RemoveImageReport["removed"] = [];
  for (;;) {
    const found = fits(context.catalogue.values()).filter(({ id }) => {
      return context.users.of(id).length === 0 && !context.isPinned(id);
    });
    const before = pruned.length;
    for (const image of found) {
      if (!context.catalogue.get(image.id)) continue;
      try {
        const { removed } = await removeImage(context, { image, name: image.id, by: "all" }, {});
        pruned.push(...removed);
      } catch (error) {
        // Somebody began to use it.
        if (!(error instanceof EngineError) || error.code !== "in_use") throw error;
      }
    }
    if (pruned.length === before) break;
  }
  await context.content.unstage();
  return pruned;
}
