import type { ImageList } from "../../lib/engine/records/image_record.ts";
import type { Descriptor } from "../../lib/oci/descriptor.ts";
import { emit } from "../wire/emit.ts";
import { ManifestListData } from "../wire/manifests/manifest.ts";

/** A manifest list as it is inspected: what Docker's form and OCI's can say, together. */
export function listData({ entries, annotations, subject }: ImageList, mediaType: string): ManifestListData {
  return emit(ManifestListData, {
    schemaVersion: 2,
    mediaType,
    manifests: entries.map((entry) => ({ ...viewDescriptor(entry), files: entry.files })),
    subject: subject && viewDescriptor(subject),
    annotations,
  });
}

function viewDescriptor({ mediaType, size, digest, urls, platform, annotations, artifactType, data }: Descriptor) {
  return { mediaType, size, digest, urls, platform: { ...platform }, annotations, artifactType, data };
}
