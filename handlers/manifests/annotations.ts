import type { EntryAnnotations } from "../../lib/engine/images/manifests/annotate.ts";
import type { ListAnnotations } from "../../lib/engine/images/manifests/manifest_lists.ts";
import type { ManifestAddOptions } from "../wire/manifests/manifest.ts";
import { RequestError } from "../request_error.ts";

/** Annotations as a list of `key=value`, as a map, or as nothing; a 400 for both. */
export function annotationsOf(
  list: readonly string[],
  map: Record<string, string>,
  [listName, mapName]: readonly [string, string] = ["Annotation", "Annotations"],
): Record<string, string> {
  if (list.length === 0) return map;
  if (Object.keys(map).length > 0) throw new RequestError("malformed", `can not set both ${listName} and ${mapName}`);
  return Object.fromEntries(list.map((text) => {
    const at = text.indexOf("=");
    if (at < 0) throw new RequestError("malformed", `no value given for annotation "${text}"`);
    return [text.slice(0, at), text.slice(at + 1)];
  }));
}

/** Returns a body's annotations of an entry. */
export function entryOf(body: ManifestAddOptions): EntryAnnotations {
  return {
    annotations: annotationsOf(body.annotation, body.annotations),
    os: body.os,
    architecture: body.arch,
    variant: body.variant,
    osVersion: body.os_version,
    osFeatures: body.os_features,
    features: body.features,
  };
}

/** Returns a body's annotations of the list as a whole. */
export function listOf(body: ManifestAddOptions): ListAnnotations {
  const names = ["IndexAnnotation", "IndexAnnotations"] as const;
  return {
    annotations: annotationsOf(body.index_annotation, body.index_annotations, names),
    ...(body.subject === "" ? {} : { subject: body.subject }),
  };
}

/** Whether that is anything. */
export function saysAnything({ annotations = {}, subject }: ListAnnotations): boolean {
  return subject !== undefined || Object.keys(annotations).length > 0;
}
