/**
 * The limits on a container's use of the machine.
 *
 * @module
 */
import { isObject } from "../../oci/json.ts";

/** A limit on the files of a container or of a volume; what is absent has none. */
export interface TreeLimit {
  /** Bytes. */
  size?: number;
  /** How many files, folders and links. */
  inodes?: number;
}

/** A rule of the devices cgroup; what is absent stands for all. */
export interface DeviceRule {
  allow: boolean;
  /** `a`, `b` or `c`. */
  type?: string;
  major?: number | null;
  minor?: number | null;
  /** Some of `r`, `w` and `m`. */
  access?: string;
}

/** A device of the host that is to be in a container. */
export interface DeviceSpec {
  /** A device, or a folder whose devices are meant; symbolic links are followed. */
  source: string;
  destination: string;
  /** Some of `r`, `w` and `m`. */
  access: string;
}

/** A limit on how fast a block device is used, in bytes or operations per second. */
export interface Throttle {
  major: number;
  minor: number;
  rate: number;
}

/** A block device's share. */
export interface Weight {
  major: number;
  minor: number;
  weight?: number | null;
  leafWeight?: number | null;
}

/** `linux.resources` of the OCI runtime specification, keys as there. */
export interface Limits {
  devices?: DeviceRule[];
  memory?: {
    limit?: number | null;
    reservation?: number | null;
    swap?: number | null;
    kernel?: number | null;
    kernelTCP?: number | null;
    swappiness?: number | null;
    disableOOMKiller?: boolean | null;
    useHierarchy?: boolean | null;
    checkBeforeUpdate?: boolean | null;
  } | null;
  cpu?: {
    shares?: number | null;
    quota?: number | null;
    burst?: number | null;
    period?: number | null;
    realtimeRuntime?: number | null;
    realtimePeriod?: number | null;
    cpus?: string;
    mems?: string;
    idle?: number | null;
  } | null;
  pids?: { limit?: number | null } | null;
  blockIO?: {
    weight?: number | null;
    leafWeight?: number | null;
    weightDevice?: Weight[];
    throttleReadBpsDevice?: Throttle[];
    throttleWriteBpsDevice?: Throttle[];
    throttleReadIOPSDevice?: Throttle[];
    throttleWriteIOPSDevice?: Throttle[];
  } | null;
  hugepageLimits?: { pageSize: string; limit: number }[];
  network?: { classID?: number | null; priorities?: { name: string; priority: number }[] } | null;
  rdma?: Record<string, { hcaHandles?: number | null; hcaObjects?: number | null }>;
  unified?: Record<string, string>;
}

/** Limits of block devices that are named by their paths on the host. */
export interface PathLimits {
  weightDevice?: Record<string, { weight?: number | null; leafWeight?: number | null }>;
  throttleReadBpsDevice?: Record<string, number>;
  throttleWriteBpsDevice?: Record<string, number>;
  throttleReadIOPSDevice?: Record<string, number>;
  throttleWriteIOPSDevice?: Record<string, number>;
}

/** The lists of throttles. */
export const THROTTLES = [
  "throttleReadBpsDevice",
  "throttleWriteBpsDevice",
  "throttleReadIOPSDevice",
  "throttleWriteIOPSDevice",
] as const;

/** Lays limits over others: what is said anew replaces what was, field by field; lists are replaced whole. */
export function mergeLimits(old: Limits, fresh: Limits): Limits {
  // The result has the fields of either, and so is of the type of both.
  return merge({ ...old }, { ...fresh }) as Limits;
}

function merge(old: Record<string, unknown>, fresh: Record<string, unknown>): Record<string, unknown> {
  const merged = { ...old };
  for (const [key, value] of Object.entries(fresh)) {
    if (value === undefined || value === null) continue;
    const before = merged[key];
    merged[key] = isObject(before) && isObject(value) ? merge(before, value) : value;
  }
  return merged;
}

/** Limits without what says nothing: null, undefined, and parts that are left empty. */
export function cleanLimits(limits: Limits): Limits {
  // Every field may be absent.
  return clean(limits) as Limits;
}

/** Limits of a new container: memory and swap together are twice the memory, unless they say otherwise. */
export function limitSwap(limits: Limits): Limits {
  const { limit, swap } = limits.memory ?? {};
  if (!limit || limit < 0 || swap != null) return limits;
  return { ...limits, memory: { ...limits.memory, swap: Math.min(limit * 2, Number.MAX_SAFE_INTEGER) } };
}

function clean(value: object): object {
  const kept = Object.entries(value).flatMap(([key, item]) => {
    if (item === undefined || item === null || item === "") return [];
    const inner = isObject(item) ? clean(item) : item;
    const isEmpty = Array.isArray(inner) ? inner.length === 0 : isObject(inner) && Object.keys(inner).length === 0;
    return isEmpty ? [] : [[key, inner]];
  });
  return Object.fromEntries(kept);
}
