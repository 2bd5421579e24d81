/**
 * The inspection of pods.
 *
 * @module
 */
import { InspectMount } from "../containers/container_inspect.ts";
import {
  InspectBlkioThrottleDevice,
  InspectBlkioWeightDevice,
  InspectDevice,
  InspectHostPort,
} from "../containers/container_inspect_host.ts";
import { time } from "../time.ts";
import { z } from "../zod.ts";

const texts = z.array(z.string()).nullable();

/** `define.InspectPodContainerInfo`. */
export const InspectPodContainerInfo = z.object({ Id: z.string(), Name: z.string(), State: z.string() });
export type InspectPodContainerInfo = z.output<typeof InspectPodContainerInfo>;

/** `define.InspectPodInfraConfig`. */
export const InspectPodInfraConfig = z.object({
  PortBindings: z.record(z.string(), z.array(InspectHostPort).nullable()).nullable(),
  HostNetwork: z.boolean(),
  StaticIP: z.string(),
  StaticMAC: z.string(),
  NoManageResolvConf: z.boolean(),
  DNSServer: texts,
  DNSSearch: texts,
  DNSOption: texts,
  NoManageHostname: z.boolean(),
  NoManageHosts: z.boolean(),
  HostAdd: texts,
  HostsFile: z.string(),
  Networks: texts,
  NetworkOptions: z.record(z.string(), texts).nullable(),
  cpu_period: z.number().optional(),
  cpu_quota: z.number().optional(),
  cpuset_cpus: z.string().optional(),
  pid_ns: z.string().optional(),
  userns: z.string().optional(),
  uts_ns: z.string().optional(),
});
export type InspectPodInfraConfig = z.output<typeof InspectPodInfraConfig>;

/** `define.InspectPodData`. */
export const InspectPodData = z.object({
  Id: z.string(),
  Name: z.string(),
  Namespace: z.string().optional(),
  Created: time,
  CreateCommand: z.array(z.string()).optional(),
  ExitPolicy: z.string().optional(),
  State: z.string(),
  Hostname: z.string(),
  Labels: z.record(z.string(), z.string()).optional(),
  CreateCgroup: z.boolean(),
  CgroupParent: z.string().optional(),
  CgroupPath: z.string().optional(),
  CreateInfra: z.boolean(),
  InfraContainerID: z.string().optional(),
  InfraConfig: InspectPodInfraConfig.optional(),
  SharedNamespaces: z.array(z.string()).optional(),
  NumContainers: z.number(),
  Containers: z.array(InspectPodContainerInfo).optional(),
  cpu_period: z.number().optional(),
  cpu_quota: z.number().optional(),
  cpu_shares: z.number().optional(),
  cpuset_cpus: z.string().optional(),
  cpuset_mems: z.string().optional(),
  mounts: z.array(InspectMount).optional(),
  devices: z.array(InspectDevice).optional(),
  device_read_bps: z.array(InspectBlkioThrottleDevice).optional(),
  device_write_bps: z.array(InspectBlkioThrottleDevice).optional(),
  volumes_from: z.array(z.string()).optional(),
  security_opt: z.array(z.string()).optional(),
  memory_limit: z.number().optional(),
  memory_swap: z.number().optional(),
  blkio_weight: z.number().optional(),
  blkio_weight_device: z.array(InspectBlkioWeightDevice).optional(),
  RestartPolicy: z.string().optional(),
  LockNumber: z.number(),
});
export type InspectPodData = z.output<typeof InspectPodData>;
