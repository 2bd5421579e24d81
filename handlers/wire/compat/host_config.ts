/**
 * A container's host configuration, as Docker has it.
 *
 * @module
 */
import { Int64, TerminalSide } from "../numbers.ts";
import { z } from "../zod.ts";
import { Mount } from "./mount.ts";
import { PortBinding } from "./network.ts";

/** `blkiodev.ThrottleDevice`. */
export const ThrottleDevice = z.object({
  Path: z.string(),
  Rate: z.int(),
});
export type ThrottleDevice = z.output<typeof ThrottleDevice>;

/** `blkiodev.WeightDevice`. */
export const WeightDevice = z.object({
  Path: z.string(),
  Weight: z.int(),
});
export type WeightDevice = z.output<typeof WeightDevice>;

/** `dockerContainer.DeviceMapping`. */
export const DeviceMapping = z.object({
  PathOnHost: z.string(),
  PathInContainer: z.string(),
  CgroupPermissions: z.string(),
});
export type DeviceMapping = z.output<typeof DeviceMapping>;

/** `dockerContainer.DeviceRequest`. */
export const DeviceRequest = z.object({
  Driver: z.string(),
  Count: z.int(),
  DeviceIDs: z.array(z.string()).nullable(),
  Capabilities: z.array(z.array(z.string()).nullable()).nullable(),
  Options: z.record(z.string(), z.string()).nullable(),
});
export type DeviceRequest = z.output<typeof DeviceRequest>;

/** `dockerContainer.LogConfig`. */
export const LogConfig = z.object({
  Type: z.string(),
  Config: z.record(z.string(), z.string()).nullable(),
});
export type LogConfig = z.output<typeof LogConfig>;

/** `dockerContainer.RestartPolicy`. */
export const RestartPolicy = z.object({
  Name: z.string(),
  MaximumRetryCount: z.int(),
});
export type RestartPolicy = z.output<typeof RestartPolicy>;

/** `units.Ulimit`. */
export const Ulimit = z.object({
  Name: z.string(),
  Hard: Int64,
  Soft: Int64,
});
export type Ulimit = z.output<typeof Ulimit>;

/** `dockerContainer.HostConfig`. */
export const HostConfig = z.object({
  CpuShares: z.int(),
  Memory: z.int(),
  NanoCpus: z.int(),
  CgroupParent: z.string(),
  BlkioWeight: z.int(),
  BlkioWeightDevice: z.array(WeightDevice).nullable(),
  BlkioDeviceReadBps: z.array(ThrottleDevice).nullable(),
  BlkioDeviceWriteBps: z.array(ThrottleDevice).nullable(),
  BlkioDeviceReadIOps: z.array(ThrottleDevice).nullable(),
  BlkioDeviceWriteIOps: z.array(ThrottleDevice).nullable(),
  CpuPeriod: z.int(),
  CpuQuota: z.int(),
  CpuRealtimePeriod: z.int(),
  CpuRealtimeRuntime: z.int(),
  CpusetCpus: z.string(),
  CpusetMems: z.string(),
  Devices: z.array(DeviceMapping).nullable(),
  DeviceCgroupRules: z.array(z.string()).nullable(),
  DeviceRequests: z.array(DeviceRequest).nullable(),
  MemoryReservation: z.int(),
  MemorySwap: z.int(),
  MemorySwappiness: z.int().nullable(),
  OomKillDisable: z.boolean().nullable(),
  PidsLimit: z.int().nullable(),
  Ulimits: z.array(Ulimit).nullable(),
  CpuCount: z.int(),
  CpuPercent: z.int(),
  IOMaximumIOps: z.int(),
  IOMaximumBandwidth: z.int(),
  Binds: z.array(z.string()).nullable(),
  ContainerIDFile: z.string(),
  LogConfig: LogConfig,
  NetworkMode: z.string(),
  PortBindings: z.record(z.string(), z.array(PortBinding).nullable()).nullable(),
  RestartPolicy: RestartPolicy,
  AutoRemove: z.boolean(),
  VolumeDriver: z.string(),
  VolumesFrom: z.array(z.string()).nullable(),
  ConsoleSize: z.array(TerminalSide),
  Annotations: z.record(z.string(), z.string()).optional(),
  CapAdd: z.array(z.string()).nullable(),
  CapDrop: z.array(z.string()).nullable(),
  CgroupnsMode: z.string(),
  Dns: z.array(z.string()).nullable(),
  DnsOptions: z.array(z.string()).nullable(),
  DnsSearch: z.array(z.string()).nullable(),
  ExtraHosts: z.array(z.string()).nullable(),
  GroupAdd: z.array(z.string()).nullable(),
  IpcMode: z.string(),
  Cgroup: z.string(),
  Links: z.array(z.string()).nullable(),
  OomScoreAdj: z.int(),
  PidMode: z.string(),
  Privileged: z.boolean(),
  PublishAllPorts: z.boolean(),
  ReadonlyRootfs: z.boolean(),
  SecurityOpt: z.array(z.string()).nullable(),
  StorageOpt: z.record(z.string(), z.string()).optional(),
  Tmpfs: z.record(z.string(), z.string()).optional(),
  UTSMode: z.string(),
  UsernsMode: z.string(),
  ShmSize: z.int(),
  Sysctls: z.record(z.string(), z.string()).optional(),
  Runtime: z.string().optional(),
  Isolation: z.string(),
  Mounts: z.array(Mount).optional(),
  MaskedPaths: z.array(z.string()).nullable(),
  ReadonlyPaths: z.array(z.string()).nullable(),
  Init: z.boolean().nullish(),
});
export type HostConfig = z.output<typeof HostConfig>;
