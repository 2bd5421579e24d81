import { join } from "node:path";
import { EngineError } from "../../../../engine/errors.ts";
import type { ArtifactFile } from "../../../../engine/ports/host_port.ts";
import type { ArtifactMount } from "../../../../engine/records/mount_spec.ts";
import { openInside } from "../../helpers/safe_path.ts";
import { bindMount } from "./bind_mounts.ts";
import type { SpecMount } from "../spec_types.ts";
import type { SubPaths } from "./sub_paths.ts";

/**
 * The mounts an artifact becomes, each of its files one, read-only. A lone file lies at the destination itself unless that is
 * a folder; else they lie below it. Throws `EngineError("invalid")` for several files in the place of one.
 */
export async function artifactMounts(
  { source, destination, artifact: { name } = {} }: ArtifactMount,
  files: readonly ArtifactFile[],
  { rootfs, subPaths }: { rootfs: string; subPaths: SubPaths },
): Promise<SpecMount[]> {
  const isLone = files.length === 1;
  const isFolder = await looksLikeFolder(rootfs, destination, !isLone);
  if (!isFolder && !isLone && files.length > 0) {
    const text = `artifact "${source}" contains more than one blob and container path "${destination}" is a file`;
    throw new EngineError("invalid", text);
  }
  const nameOf = (file: ArtifactFile, index: number) => {
    if (name === undefined) return file.name;
    return isLone ? name : `${name}-${index}`;
  };
  return await Promise.all(files.map(async (file, index) => {
    const place = isFolder ? join(destination, nameOf(file, index)) : destination;
    return bindMount(place, { source: await subPaths.open(file.folder, file.path), kind: "fixed" });
  }));
}

async function looksLikeFolder(rootfs: string, path: string, otherwise: boolean): Promise<boolean> {
  const found = await openInside(rootfs, path);
  if (found === undefined) return otherwise;
  try {
    return (await found.stat()).isDirectory();
  } finally {
    await found.close();
  }
}
