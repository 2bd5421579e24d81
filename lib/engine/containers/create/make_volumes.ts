import type { ContainerSpec } from "../../records/container_record.ts";
import { ANONYMOUS_LABEL } from "../../records/volume_record.ts";
import type { MountSpec } from "../../records/mount_spec.ts";
import { readVolumeOptions } from "../../volumes/volume_options.ts";
import type { Context } from "../context.ts";
import { volumesOf } from "./mounts.ts";

/** Makes the volumes of a new container that are not there yet, with the labels and driver options that their mounts have. */
export async function makeVolumes(
  { volumes }: Context,
  mounts: readonly MountSpec[],
  { defaults }: Pick<ContainerSpec, "defaults">,
): Promise<void> {
  for (const { source, anonymous, making: { labels, options = {} } = {} } of volumesOf(mounts)) {
    const { shown, device, limit, uid, gid } = readVolumeOptions(options);
    const owner = uid === undefined && gid === undefined ? undefined : { uid: uid ?? 0, gid: gid ?? 0 };
    await volumes.ensure(source, {
      anonymous,
      labels: anonymous && defaults === "docker" ? { [ANONYMOUS_LABEL]: "", ...labels } : labels,
      options: shown,
      device,
      limit,
      owner,
    });
  }
}
