import type { ContainerRecord } from "../../../lib/engine/records/container_record.ts";
import { inspectMounts } from "../../containers/view/inspect_mounts.ts";
import type { MountPoint } from "../../wire/compat/mount.ts";
import type { Sparse } from "../../wire/emit.ts";

/**
 * The volumes and folders of a container in Docker's words: of a mount's options it tells those that a user gives.
 *
 * @param volumePath Gives a volume's folder on the host
 */
export function mountPoints(record: ContainerRecord, volumePath: (name: string) => string): Sparse<MountPoint>[] {
  return inspectMounts(record, volumePath).map(({ Options: _options, SubPath: _path, ...mount }) => ({
    ...mount,
    // Docker tells it of folders only.
    Propagation: mount.Type === "volume" ? "" : mount.Propagation,
    Mode: mount.RW === false ? "ro" : mount.Mode || (mount.Type === "volume" ? "z" : ""),
  }));
}
