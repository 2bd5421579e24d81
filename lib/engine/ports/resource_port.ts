/**
 * The engine's port to a host that measures and limits the resources of containers.
 *
 * @module
 */
import type { ContainerRecord, RLimit } from "../records/container_record.ts";
import type { DeviceSpec, Limits, PathLimits } from "../records/limits.ts";

/** Processor time in nanoseconds, since the container's start. */
export interface CPUUsage {
  total: number;
  user: number;
  kernel: number;
  /** By processor; absent where the kernel does not count so (cgroups v2). */
  perCPU?: number[];
  periods: number;
  throttledPeriods: number;
  throttledTime: number;
}

/** Memory in bytes. */
export interface MemoryUsage {
  /** All that is charged to the container. */
  current: number;
  /** Of that, pages of files that the kernel would give up first. */
  inactiveFile: number;
  /** The most it was; absent where the kernel does not keep it. */
  max?: number;
  /** How often a limit was met. */
  failures: number;
  /** The limit as set, but never more than the machine has. */
  limit: number;
  /** The kernel's own figures, by its names. */
  details: Record<string, number>;
}

/** A figure of one block device; `op` is `Read`, `Write`, … */
export interface BlockEntry {
  major: number;
  minor: number;
  op: string;
  value: number;
}

/** The traffic of a network interface. */
export interface InterfaceUsage {
  rxBytes: number;
  rxPackets: number;
  rxErrors: number;
  rxDropped: number;
  txBytes: number;
  txPackets: number;
  txErrors: number;
  txDropped: number;
}

/** One look at what a container uses. */
export interface ContainerUsage {
  /** Milliseconds since the epoch, with a fraction. */
  time: number;
  cpu: CPUUsage;
  /** Processor time of the whole machine, idle time included, in nanoseconds since its start. */
  systemCPU: number;
  /** Processors the container may use. */
  onlineCPUs: number;
  memory: MemoryUsage;
  pids: { current: number; /** 0: none. */ limit: number };
  blockBytes: BlockEntry[];
  blockOperations: BlockEntry[];
  /** By interface, `lo` left out; absent where the network is the host's. */
  networks?: Record<string, InterfaceUsage>;
}

/** The limits and resources requested for a container. */
export interface ResourceWish {
  limits: Limits;
  pathLimits?: PathLimits;
  devices?: readonly DeviceSpec[];
  rlimits?: readonly RLimit[];
  cgroupsMode?: string;
}

/** The part of a request for resources that this machine can fulfil. */
export interface ResourceGrant {
  /** With the numbers of devices in place of their paths, and without what was discarded. */
  limits: Limits;
  /** Paths of the block devices that limits name, by `major:minor`. */
  blockDevices: Record<string, string>;
  /** The settings that were discarded or lessened, and why, in Podman's words. */
  warnings: string[];
  /** Processes cannot be limited here, not even to the number that everybody gets. */
  withoutPids?: true;
}

/** Figures and limits of containers. */
export interface Resources {
  /**
   * Tells where the cgroup of a pod lies: `parent` as asked for, or the host's own, and the pod's below it. It is made for the
   * first of its containers that starts, and goes with the last that ends.
   */
  podGroup(podID: string, parent?: string): { parent: string; path: string };
  /** Removes the cgroup of a pod whose containers have gone, where a crash has left it. Idempotent. */
  removeGroup(path: string): Promise<void>;
  /** Reads what a container uses; `undefined` where it has no process any more. */
  usage(record: ContainerRecord): Promise<ContainerUsage | undefined>;
  /**
   * Tells what of a wish this machine can do. Throws `invalid` for what makes no sense and `unsupported`, with the name of
   * the field, for what it lacks and Podman would not discard with a warning.
   */
  grant(wish: ResourceWish): Promise<ResourceGrant>;
  /**
   * Sets the limits of a container that has a process; `changes` is what of them is new. Throws `internal` with the
   * runtime's own message, or `unsupported` for what the runtime cannot change.
   */
  update(containerID: string, limits: Limits, changes: Limits): Promise<void>;
}
