/**
 * Resource limits as the OCI runtime specification names them (config-linux, "Control groups").
 *
 * @module
 */
import { z } from "../zod.ts";

/** `specs.LinuxThrottleDevice`. */
export const LinuxThrottleDevice = z.object({
  major: z.int(),
  minor: z.int(),
  rate: z.int(),
});
export type LinuxThrottleDevice = z.output<typeof LinuxThrottleDevice>;

/** `specs.LinuxWeightDevice`. */
export const LinuxWeightDevice = z.object({
  major: z.int(),
  minor: z.int(),
  weight: z.int().nullish(),
  leafWeight: z.int().nullish(),
});
export type LinuxWeightDevice = z.output<typeof LinuxWeightDevice>;

/** `specs.LinuxBlockIO`. */
export const LinuxBlockIO = z.object({
  weight: z.int().nullish(),
  leafWeight: z.int().nullish(),
  weightDevice: z.array(LinuxWeightDevice).optional(),
  throttleReadBpsDevice: z.array(LinuxThrottleDevice).optional(),
  throttleWriteBpsDevice: z.array(LinuxThrottleDevice).optional(),
  throttleReadIOPSDevice: z.array(LinuxThrottleDevice).optional(),
  throttleWriteIOPSDevice: z.array(LinuxThrottleDevice).optional(),
});
export type LinuxBlockIO = z.output<typeof LinuxBlockIO>;

/** `specs.LinuxCPU`. */
export const LinuxCPU = z.object({
  shares: z.int().nullish(),
  quota: z.int().nullish(),
  burst: z.int().nullish(),
  period: z.int().nullish(),
  realtimeRuntime: z.int().nullish(),
  realtimePeriod: z.int().nullish(),
  cpus: z.string().optional(),
  mems: z.string().optional(),
  idle: z.int().nullish(),
});
export type LinuxCPU = z.output<typeof LinuxCPU>;

/** `specs.LinuxDeviceCgroup`. */
export const LinuxDeviceCgroup = z.object({
  allow: z.boolean(),
  type: z.string().optional(),
  major: z.int().nullish(),
  minor: z.int().nullish(),
  access: z.string().optional(),
});
export type LinuxDeviceCgroup = z.output<typeof LinuxDeviceCgroup>;

/** `specs.LinuxHugepageLimit`. */
export const LinuxHugepageLimit = z.object({
  pageSize: z.string(),
  limit: z.int(),
});
export type LinuxHugepageLimit = z.output<typeof LinuxHugepageLimit>;

/** `specs.LinuxMemory`. */
export const LinuxMemory = z.object({
  limit: z.int().nullish(),
  reservation: z.int().nullish(),
  swap: z.int().nullish(),
  kernel: z.int().nullish(),
  kernelTCP: z.int().nullish(),
  swappiness: z.int().nullish(),
  disableOOMKiller: z.boolean().nullish(),
  useHierarchy: z.boolean().nullish(),
  checkBeforeUpdate: z.boolean().nullish(),
});
export type LinuxMemory = z.output<typeof LinuxMemory>;

/** `specs.LinuxInterfacePriority`. */
export const LinuxInterfacePriority = z.object({
  name: z.string(),
  priority: z.int(),
});
export type LinuxInterfacePriority = z.output<typeof LinuxInterfacePriority>;

/** `specs.LinuxNetwork`. */
export const LinuxNetwork = z.object({
  classID: z.int().nullish(),
  priorities: z.array(LinuxInterfacePriority).optional(),
});
export type LinuxNetwork = z.output<typeof LinuxNetwork>;

/** `specs.LinuxPids`. */
export const LinuxPids = z.object({
  limit: z.int().nullish(),
});
export type LinuxPids = z.output<typeof LinuxPids>;

/** `specs.LinuxRdma`. */
export const LinuxRdma = z.object({
  hcaHandles: z.int().nullish(),
  hcaObjects: z.int().nullish(),
});
export type LinuxRdma = z.output<typeof LinuxRdma>;

/** `specs.LinuxResources`. */
export const LinuxResources = z.object({
  devices: z.array(LinuxDeviceCgroup).optional(),
  memory: LinuxMemory.nullish(),
  cpu: LinuxCPU.nullish(),
  pids: LinuxPids.nullish(),
  blockIO: LinuxBlockIO.nullish(),
  hugepageLimits: z.array(LinuxHugepageLimit).optional(),
  network: LinuxNetwork.nullish(),
  rdma: z.record(z.string(), LinuxRdma).optional(),
  unified: z.record(z.string(), z.string()).optional(),
});
export type LinuxResources = z.output<typeof LinuxResources>;

/** `specs.LinuxDevice`. */
export const LinuxDevice = z.object({
  path: z.string(),
  type: z.string(),
  major: z.int(),
  minor: z.int(),
  fileMode: z.int().nullish(),
  uid: z.int().nullish(),
  gid: z.int().nullish(),
});
export type LinuxDevice = z.output<typeof LinuxDevice>;

/** `specs.LinuxIntelRdt`. */
export const LinuxIntelRdt = z.object({
  closID: z.string().optional(),
  schemata: z.array(z.string()).optional(),
  l3CacheSchema: z.string().optional(),
  memBwSchema: z.string().optional(),
  enableMonitoring: z.boolean().optional(),
});
export type LinuxIntelRdt = z.output<typeof LinuxIntelRdt>;
