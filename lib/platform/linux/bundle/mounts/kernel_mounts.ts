/**
 * The mounts every container gets: what the kernel shows, and what systemd expects besides.
 *
 * @module
 */
import { existsSync } from "node:fs";
import type { ContainerRecord } from "../../../../engine/records/container_record.ts";
import { bindMount } from "./bind_mounts.ts";
import { cgroupMounts, type CgroupView } from "./cgroup_mounts.ts";
import { isRootless } from "../../rootless/outer_user.ts";
import type { SpecMount } from "../spec_types.ts";

const SHM_SIZE = 65_536_000;
/** Writable places of a read-only root. */
const SCRATCH = ["/run", "/tmp", "/var/tmp"];
/** Writable places of systemd; an inner one follows its outer one. */
const SYSTEMD_SCRATCH = ["/run", "/run/lock", "/tmp", "/var/log/journal"];
const SCRATCH_OPTIONS = ["rw", "rprivate", "nosuid", "nodev", "tmpcopyup"];

/**
 * Lists them.
 *
 * @param groups The control groups there are
 * @param sharedMemory Where the /dev/shm of the container is whose means of communication this one shares
 */
export function kernelMounts(record: ContainerRecord, groups: CgroupView, sharedMemory?: string): SpecMount[] {
  const { spec } = record;
  const writable = spec.privileged ? "rw" : "ro";
  // Nothing is writable where not even scratch places are.
  const access = spec.fullyReadOnly ? ["ro"] : [];
  const size = spec.systemdShmSize === undefined ? [] : [`size=${spec.systemdShmSize}`];
  // In a user namespace, its own or the server's, a container may not mount what tells of the host's processes.
  const isHosts = (name: "pid" | "ipc" | "network") =>
    (record.idMaps !== undefined || isRootless()) && spec.namespaces[name].mode === "host";
  return [
    ownOrHosts("/proc", "proc", isHosts("pid"), spec.procOptions),
    scratchMount("/dev", [...access, "nosuid", "noexec", "strictatime", "mode=755", "size=65536k"]),
    // Without the host's network namespace being its own it may not mount /sys either. crun then takes the host's and hides its
    // control groups, but fails where nothing is to be hidden.
    ownOrHosts("/sys", "sysfs", spec.privileged && isHosts("network"), [writable]),
    {
      destination: "/dev/pts",
      type: "devpts",
      source: "devpts",
      options: ["nosuid", "noexec", "newinstance", "ptmxmode=0666", "mode=0620", "gid=5"],
    },
    ...isHosts("ipc") && !existsSync("/dev/mqueue") ? [] : [ownOrHosts("/dev/mqueue", "mqueue", isHosts("ipc"))],
    ...sharedMemoryMount(spec, access, sharedMemory),
    ...cgroupMounts(record, groups),
    ...spec.readOnly && spec.readWriteTmpfs ? SCRATCH.map((place) => scratchMount(place, SCRATCH_OPTIONS)) : [],
    ...record.systemd ? SYSTEMD_SCRATCH.map((place) => scratchMount(place, [...SCRATCH_OPTIONS, ...size])) : [],
  ];
}

/** A mount of the kernel's, or what the host has at the same place. */
function ownOrHosts(destination: string, type: string, isHosts: boolean, further: readonly string[] = []): SpecMount {
  const options = ["nosuid", "noexec", "nodev", ...further];
  if (!isHosts) return { destination, type, source: type, options };
  return bindMount(destination, { source: destination, kind: "kernel" }, further);
}

/** A tmpfs. */
export function scratchMount(destination: string, options: string[]): SpecMount {
  return { destination, type: "tmpfs", source: "tmpfs", options };
}

/** Shared memory goes with the namespace of the other means of communication, and "none" is without. */
function sharedMemoryMount(
  { namespaces: { ipc }, shmSize }: ContainerRecord["spec"],
  access: readonly string[],
  sharedMemory: string | undefined,
): SpecMount[] {
  const destination = "/dev/shm";
  const options = [...access, "nosuid", "noexec", "nodev"];
  if (ipc.mode === "none") return [];
  const source = ipc.mode === "host" ? destination : sharedMemory;
  if (source !== undefined) return [bindMount(destination, { source, kind: "kernel" }, access)];
  return [{ ...scratchMount(destination, [...options, "mode=1777", `size=${shmSize ?? SHM_SIZE}`]), source: "shm" }];
}
