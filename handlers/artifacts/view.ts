import type { ArtifactRecord } from "../../lib/engine/records/artifact_record.ts";
import { emit } from "../wire/emit.ts";
import { ArtifactReport } from "../wire/artifacts/artifact.ts";

/** An artifact as it is listed and inspected. */
export function artifactReport({ name, digest, manifest }: ArtifactRecord): ArtifactReport {
  return emit(ArtifactReport, { Name: name, Digest: digest, Manifest: { schemaVersion: 2, ...manifest } });
}
