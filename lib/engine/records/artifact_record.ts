import type { Manifest } from "../../oci/manifest.ts";

/** An artifact as stored: a name for a manifest whose layers are files. */
export interface ArtifactRecord {
  /** The full name with its tag, or its digest: `quay.io/team/model:1`. */
  name: string;
  /** `sha256:…` of the manifest. */
  digest: string;
  manifest: Manifest;
}

/** Digests of everything an artifact is made of. */
export function artifactBlobs({ digest, manifest }: ArtifactRecord): string[] {
  return [digest, manifest.config.digest, ...manifest.layers.map(({ digest }) => digest)];
}
