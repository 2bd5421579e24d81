import type { Index } from "../../../oci/manifest.ts";
import { DOCUMENT_TYPES, type ManifestFormat, writeIndex } from "../../../oci/manifest_writer.ts";
import type { ImageList, ListEntry } from "../../records/image_record.ts";

/**
 * The format a list is written in when none is asked for, as Podman chooses: OCI for what only OCI can say, Docker for what only
 * Docker can, and for an empty list.
 */
export function listFormat({ entries, annotations, subject }: ImageList): ManifestFormat {
  if (subject !== undefined || Object.keys(annotations).length > 0) return "oci";
  if (entries.some(isOCIOnly)) return "oci";
  if (entries.some(({ platform }) => (platform?.features?.length ?? 0) > 0)) return "docker";
  return entries.length === 0 ? "docker" : "oci";
}

/** A list as an index of the format. */
function listIndex({ entries, annotations, subject }: ImageList, format: ManifestFormat): Index {
  const manifests = entries.map(({ source: _source, blobs: _blobs, files: _files, ...descriptor }) => descriptor);
  return {
    kind: "index",
    mediaType: DOCUMENT_TYPES[format].index,
    manifests,
    annotations,
    ...(subject === undefined ? {} : { subject }),
  };
}

/** A list's bytes and their media type. */
export function writeList(list: ImageList, format = listFormat(list)): { bytes: Uint8Array; mediaType: string } {
  const index = listIndex(list, format);
  return { bytes: writeIndex(index), mediaType: index.mediaType };
}

function isOCIOnly({ artifactType, annotations, data }: ListEntry): boolean {
  return artifactType !== undefined || data !== undefined || Object.keys(annotations ?? {}).length > 0;
}
