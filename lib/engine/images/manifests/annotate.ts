import type { Platform } from "../../../oci/platform.ts";
import { EngineError } from "../../errors.ts";
import type { ImageList, ListEntry } from "../../records/image_record.ts";

/** The annotations and fields of one entry of a list. Absent ones stay as they are. */
export interface EntryAnnotations {
  annotations?: Record<string, string>;
  os?: string;
  architecture?: string;
  variant?: string;
  osVersion?: string;
  osFeatures?: readonly string[];
  features?: readonly string[];
}

/** The list with something said of one entry. Throws `EngineError("no_such_image")` for a digest it does not have. */
export function annotateEntry(list: ImageList, digest: string, said: EntryAnnotations): ImageList {
  if (!list.entries.some((entry) => entry.digest === digest)) throw noInstance(digest);
  const entries = list.entries.map((entry) => entry.digest === digest ? withAnnotations(entry, said) : entry);
  return { ...list, entries };
}

/** The list with entries added: one that is there already gives its place to the new. */
export function addEntries(list: ImageList, added: readonly ListEntry[]): ImageList {
  const digests = new Set(added.map(({ digest }) => digest));
  return { ...list, entries: [...list.entries.filter(({ digest }) => !digests.has(digest)), ...added] };
}

/** The list without an entry. Throws `EngineError("no_such_image")` for a digest it does not have. */
export function removeEntry(list: ImageList, digest: string): ImageList {
  const entries = list.entries.filter((entry) => entry.digest !== digest);
  if (entries.length === list.entries.length) throw noInstance(digest);
  return { ...list, entries };
}

function withAnnotations(entry: ListEntry, said: EntryAnnotations): ListEntry {
  const { annotations = {}, os, architecture, variant, osVersion, osFeatures, features } = said;
  const old: Platform = entry.platform ?? { os: "", architecture: "" };
  const platform: Platform = {
    ...old,
    ...(os ? { os } : {}),
    ...(architecture ? { architecture } : {}),
    ...(osVersion ? { "os.version": osVersion } : {}),
    ...(osFeatures?.length ? { "os.features": [...osFeatures] } : {}),
    ...(features?.length ? { features: [...features] } : {}),
  };
  // Another architecture has other variants.
  if (architecture || variant) {
    if (variant) platform.variant = variant;
    else delete platform.variant;
  }
  const all = { ...entry.annotations, ...annotations };
  const isNamed = entry.platform !== undefined || JSON.stringify(platform) !== JSON.stringify(old);
  return {
    ...entry,
    ...(isNamed ? { platform } : {}),
    ...(Object.keys(all).length > 0 ? { annotations: all } : {}),
  };
}

function noInstance(digest: string): EngineError {
  return new EngineError("no_such_image", `no instance matching digest "${digest}" found in manifest list`);
}
