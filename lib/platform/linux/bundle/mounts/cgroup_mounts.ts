import type { ContainerRecord } from "../../../../engine/records/container_record.ts";
import { bindMount } from "./bind_mounts.ts";
import type { SpecMount } from "../spec_types.ts";

const PLACE = "/sys/fs/cgroup";
const OPTIONS = ["rprivate", "nosuid", "noexec", "nodev", "relatime"];

/** The control groups that a container can be given to write to. */
export interface CgroupView {
  /** Version 2 alone. */
  unified: boolean;
  /** With version 2: a namespace's processes cannot change the limits of its first group (`nsdelegate`). */
  delegates: boolean;
  /** With version 1: the container's own group of systemd's hierarchy, which has no controller. */
  systemd?: string;
  /** The container has none: it is in its server's. */
  isForeign?: true;
}

/**
 * Returns the mounts that show a container its control groups: read-only, unless it is privileged. systemd makes groups of its
 * own below the container's. For that the container gets a writable hierarchy without limits (version 1), or the whole one where
 * the limits stay the host's.
 */
export function cgroupMounts({ spec, systemd }: ContainerRecord, view: CgroupView): SpecMount[] {
  const all = (access: "ro" | "rw"): SpecMount => {
    return { destination: PLACE, type: "cgroup", source: "cgroup", options: [...OPTIONS, access] };
  };
  if (view.isForeign) return [];
  if (spec.privileged) return [all("rw")];
  // Without a group of its own a container is in its supervisor's.
  if (!systemd || spec.cgroupsMode === "disabled") return [all("ro")];
  if (view.unified) return [all(ownsLimits(spec, view) ? "ro" : "rw")];
  if (view.systemd === undefined) return [all("ro")];
  return [all("ro"), bindMount(`${PLACE}/systemd`, { source: view.systemd, kind: "group" })];
}

/** Whether who may write to the groups of version 2 may lift the container's limits, or change those of others. */
export function ownsLimits({ namespaces }: ContainerRecord["spec"], { delegates }: CgroupView): boolean {
  return !delegates || namespaces.cgroup.mode !== "private";
}
