import { artifactFiles } from "../../artifacts/artifact_files.ts";
import type { ContainerRecord } from "../../records/container_record.ts";
import type { ArtifactFile } from "../../ports/host_port.ts";
import { EngineError } from "../../errors.ts";
import type { Context } from "../context.ts";

/** The files of the artifacts that a container mounts, as they are now, by the number of the mount in the record. */
export async function artifactMounts(
  { core }: Context,
  { mounts }: ContainerRecord,
): Promise<Record<number, ArtifactFile[]>> {
  const found: Record<number, ArtifactFile[]> = {};
  for (const [number, mount] of mounts.entries()) {
    if (mount.type !== "artifact") continue;
    try {
      const record = core.images.artifacts.resolve(mount.source);
      found[number] = await artifactFiles(core.ports.blobs, record, mount.artifact ?? {});
    } catch (error) {
      if (!(error instanceof EngineError) || error.code !== "no_such_artifact") throw error;
      // Its own code would say that there is no such container.
      throw new EngineError("internal", error.message, { sentinel: error.sentinel, cause: error });
    }
  }
  return found;
}
