/**
 * The host part of a container's inspection.
 *
 * @module
 */
import { Int64 } from "../numbers.ts";
import { z } from "../zod.ts";

/** `define.InspectBlkioThrottleDevice`. */
export const InspectBlkioThrottleDevice = z.object({
  Path: z.string(),
  Rate: z.number(),
});
export type InspectBlkioThrottleDevice = z.output<typeof InspectBlkioThrottleDevice>;

/** `define.InspectBlkioWeightDevice`. */
export const InspectBlkioWeightDevice = z.object({
  Path: z.string(),
  Weight: z.number(),
});
export type InspectBlkioWeightDevice = z.output<typeof InspectBlkioWeightDevice>;

/** `define.InspectDevice`. */
export const InspectDevice = z.object({
  PathOnHost: z.string(),
  PathInContainer: z.string(),
  CgroupPermissions: z.string(),
});
export type InspectDevice = z.output<typeof InspectDevice>;

/** `define.InspectHostPort`. */
export const InspectHostPort = z.object({
  HostIp: z.string(),
  HostPort: z.string(),
});
export type InspectHostPort = z.output<typeof InspectHostPort>;

/** `define.InspectIDMappings`. */
export const InspectIDMappings = z.object({
  UidMap: z.array(z.string()).nullable(),
  GidMap: z.array(z.string()).nullable(),
});
export type InspectIDMappings = z.output<typeof InspectIDMappings>;

/** `define.InspectLogConfig`. */
export const InspectLogConfig = z.object({
  Type: z.string(),
  Config: z.record(z.string(), z.string()).nullable(),
  Path: z.string(),
  Tag: z.string(),
  Size: z.string(),
});
export type InspectLogConfig = z.output<typeof InspectLogConfig>;

/** `define.InspectRestartPolicy`. */
export const InspectRestartPolicy = z.object({
  Name: z.string(),
  MaximumRetryCount: z.number(),
});
export type InspectRestartPolicy = z.output<typeof InspectRestartPolicy>;

/** `define.InspectUlimit`. */
export const InspectUlimit = z.object({
  Name: z.string(),
  Soft: Int64,
  Hard: Int64,
});
export type InspectUlimit = z.output<typeof InspectUlimit>;

/** `define.InspectContainerHostConfig`. */
export const InspectContainerHostConfig = z.object({
  Binds: z.array(z.string()).nullable(),
  CgroupManager: z.string().optional(),
  CgroupMode: z.string(),
  ContainerIDFile: z.string(),
  LogConfig: InspectLogConfig.nullable(),
  NetworkMode: z.string(),
  PortBindings: z.record(z.string(), z.array(InspectHostPort).nullable()).nullable(),
  RestartPolicy: InspectRestartPolicy.nullable(),
  AutoRemove: z.boolean(),
  AutoRemoveImage: z.boolean(),
  Annotations: z.record(z.string(), z.string()).nullable(),
  VolumeDriver: z.string(),
  VolumesFrom: z.array(z.string()).nullable(),
  CapAdd: z.array(z.string()).nullable(),
  CapDrop: z.array(z.string()).nullable(),
  Dns: z.array(z.string()).nullable(),
  DnsOptions: z.array(z.string()).nullable(),
  DnsSearch: z.array(z.string()).nullable(),
  ExtraHosts: z.array(z.string()).nullable(),
  HostsFile: z.string(),
  GroupAdd: z.array(z.string()).nullable(),
  IpcMode: z.string(),
  Cgroup: z.string(),
  Cgroups: z.string(),
  Links: z.array(z.string()).nullable(),
  OomScoreAdj: z.number(),
  PidMode: z.string(),
  Privileged: z.boolean(),
  PublishAllPorts: z.boolean(),
  ReadonlyRootfs: z.boolean(),
  SecurityOpt: z.array(z.string()).nullable(),
  Tmpfs: z.record(z.string(), z.string()).nullable(),
  UTSMode: z.string(),
  UsernsMode: z.string(),
  IDMappings: InspectIDMappings.nullish(),
  ShmSize: z.number(),
  Runtime: z.string(),
  ConsoleSize: z.array(z.number()).nullable(),
  Isolation: z.string(),
  CpuShares: z.number(),
  Memory: z.number(),
  NanoCpus: z.number(),
  CgroupParent: z.string(),
  BlkioWeight: z.number(),
  BlkioWeightDevice: z.array(InspectBlkioWeightDevice).nullable(),
  BlkioDeviceReadBps: z.array(InspectBlkioThrottleDevice).nullable(),
  BlkioDeviceWriteBps: z.array(InspectBlkioThrottleDevice).nullable(),
  BlkioDeviceReadIOps: z.array(InspectBlkioThrottleDevice).nullable(),
  BlkioDeviceWriteIOps: z.array(InspectBlkioThrottleDevice).nullable(),
  CpuPeriod: z.number(),
  CpuQuota: z.number(),
  CpuRealtimePeriod: z.number(),
  CpuRealtimeRuntime: z.number(),
  CpusetCpus: z.string(),
  CpusetMems: z.string(),
  Devices: z.array(InspectDevice).nullable(),
  DiskQuota: z.number(),
  KernelMemory: z.number(),
  MemoryReservation: z.number(),
  MemorySwap: z.number(),
  MemorySwappiness: z.number().nullable(),
  OomKillDisable: z.boolean(),
  Init: z.boolean().optional(),
  PidsLimit: z.number(),
  Ulimits: z.array(InspectUlimit).nullable(),
  CpuCount: z.number(),
  CpuPercent: z.number(),
  IOMaximumIOps: z.number(),
  IOMaximumBandwidth: z.number(),
  CgroupConf: z.record(z.string(), z.string()).nullable(),
  IntelRdtClosID: z.string().optional(),
});
export type InspectContainerHostConfig = z.output<typeof InspectContainerHostConfig>;
