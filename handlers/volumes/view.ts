import type { VolumeRecord } from "../../lib/engine/records/volume_record.ts";
import type { PrunedVolume, Volumes } from "../../lib/engine/volumes/volumes.ts";
import { errorText } from "../images/pull_progress.ts";
import { PruneReport } from "../wire/containers/container.ts";
import { emit } from "../wire/emit.ts";
import { DockerVolume, VolumeConfigResponse } from "../wire/volumes/volume.ts";

/** A volume as the native tree inspects and lists it. */
export function volumeData(volumes: Volumes, record: VolumeRecord): VolumeConfigResponse {
  const { name, driver, created, labels, options, anonymous, needsCopyUp, mountpoint, owner } = record;
  return emit(VolumeConfigResponse, {
    Name: name,
    Driver: driver,
    Mountpoint: mountpoint,
    CreatedAt: created,
    Labels: labels,
    Scope: "local",
    Options: options,
    UID: owner?.uid,
    GID: owner?.gid,
    Anonymous: anonymous,
    MountCount: volumes.mountCount(name),
    NeedsCopyUp: needsCopyUp,
    NeedsChown: needsCopyUp && owner === undefined,
  });
}

/** Names under which entries of the option `o` are shown once more, for Podman's clients. */
const SHOWN_AGAIN = ["UID", "GID", "SIZE", "INODES", "NOQUOTA"];

/** A volume as Docker's tree inspects and lists it. */
export function dockerVolume({ name, driver, created, labels, options: all, mountpoint }: VolumeRecord): DockerVolume {
  const options = Object.fromEntries(Object.entries(all).filter(([key]) => !SHOWN_AGAIN.includes(key)));
  return emit(DockerVolume, {
    CreatedAt: created.replace(/\.[0-9]+Z$/, "Z"),
    Driver: driver,
    Labels: labels,
    Mountpoint: mountpoint,
    Name: name,
    Options: options,
    Scope: "local",
  });
}

/** The outcome of a prune for one volume. */
export function volumePruneReport({ name, size, error }: PrunedVolume): PruneReport {
  return emit(PruneReport, { Id: name, Size: size, Err: error && errorText(error) });
}
