/**
 * The engine's description of itself, as Docker has it.
 *
 * @module
 */
import { z } from "../zod.ts";

/** `dockerRegistry.IndexInfo`. */
export const IndexInfo = z.object({
  Name: z.string(),
  Mirrors: z.array(z.string()).nullable(),
  Secure: z.boolean(),
  Official: z.boolean(),
});
export type IndexInfo = z.output<typeof IndexInfo>;

/** `dockerRegistry.ServiceConfig`. */
export const ServiceConfig = z.object({
  InsecureRegistryCIDRs: z.array(z.string()).nullable(),
  IndexConfigs: z.record(z.string(), IndexInfo).nullable(),
  Mirrors: z.array(z.string()).nullable(),
});
export type ServiceConfig = z.output<typeof ServiceConfig>;

/** `dockerSystem.Commit`. */
export const Commit = z.object({
  ID: z.string(),
});
export type Commit = z.output<typeof Commit>;

/** `dockerSystem.NetworkAddressPool`. */
export const NetworkAddressPool = z.object({
  Base: z.string(),
  Size: z.number(),
});
export type NetworkAddressPool = z.output<typeof NetworkAddressPool>;

/** `dockerSystem.PluginsInfo`. */
export const PluginsInfo = z.object({
  Volume: z.array(z.string()).nullable(),
  Network: z.array(z.string()).nullable(),
  Authorization: z.array(z.string()).nullable(),
  Log: z.array(z.string()).nullable(),
});
export type PluginsInfo = z.output<typeof PluginsInfo>;

/** `dockerSystem.RuntimeWithStatus`. */
export const RuntimeWithStatus = z.object({
  path: z.string().optional(),
  runtimeArgs: z.array(z.string()).optional(),
  runtimeType: z.string().optional(),
  options: z.record(z.string(), z.unknown()).optional(),
  status: z.record(z.string(), z.string()).optional(),
});
export type RuntimeWithStatus = z.output<typeof RuntimeWithStatus>;

/** `swarm.Peer`. */
export const Peer = z.object({
  NodeID: z.string(),
  Addr: z.string(),
});
export type Peer = z.output<typeof Peer>;

/** `swarm.Info`. */
export const SwarmInfo = z.object({
  NodeID: z.string(),
  NodeAddr: z.string(),
  LocalNodeState: z.string(),
  ControlAvailable: z.boolean(),
  Error: z.string(),
  RemoteManagers: z.array(Peer).nullable(),
  Nodes: z.number().optional(),
  Managers: z.number().optional(),
  Cluster: z.looseObject({}).nullish(),
  Warnings: z.array(z.string()).optional(),
});
export type SwarmInfo = z.output<typeof SwarmInfo>;

/** `handlers.Info`. */
export const Info = z.object({
  ID: z.string(),
  Containers: z.number(),
  ContainersRunning: z.number(),
  ContainersPaused: z.number(),
  ContainersStopped: z.number(),
  Images: z.number(),
  Driver: z.string(),
  DriverStatus: z.array(z.array(z.string())).nullable(),
  SystemStatus: z.array(z.array(z.string())).optional(),
  Plugins: PluginsInfo,
  MemoryLimit: z.boolean(),
  SwapLimit: z.boolean(),
  CpuCfsPeriod: z.boolean(),
  CpuCfsQuota: z.boolean(),
  CPUShares: z.boolean(),
  CPUSet: z.boolean(),
  PidsLimit: z.boolean(),
  IPv4Forwarding: z.boolean(),
  Debug: z.boolean(),
  NFd: z.number(),
  OomKillDisable: z.boolean(),
  NGoroutines: z.number(),
  SystemTime: z.string(),
  LoggingDriver: z.string(),
  CgroupDriver: z.string(),
  NEventsListener: z.number(),
  KernelVersion: z.string(),
  OperatingSystem: z.string(),
  OSVersion: z.string(),
  OSType: z.string(),
  Architecture: z.string(),
  IndexServerAddress: z.string(),
  RegistryConfig: ServiceConfig.nullable(),
  NCPU: z.number(),
  MemTotal: z.number(),
  GenericResources: z.array(z.looseObject({})).nullable(),
  DockerRootDir: z.string(),
  HttpProxy: z.string(),
  HttpsProxy: z.string(),
  NoProxy: z.string(),
  Name: z.string(),
  Labels: z.array(z.string()).nullable(),
  ExperimentalBuild: z.boolean(),
  ServerVersion: z.string(),
  Runtimes: z.record(z.string(), RuntimeWithStatus).nullable(),
  DefaultRuntime: z.string(),
  Swarm: SwarmInfo,
  LiveRestoreEnabled: z.boolean(),
  Isolation: z.string(),
  InitBinary: z.string(),
  ContainerdCommit: Commit,
  RuncCommit: Commit,
  InitCommit: Commit,
  SecurityOptions: z.array(z.string()).nullable(),
  ProductLicense: z.string().optional(),
  DefaultAddressPools: z.array(NetworkAddressPool).optional(),
  FirewallBackend: z.looseObject({}).nullish(),
  CDISpecDirs: z.array(z.string()).nullable(),
  DiscoveredDevices: z.array(z.looseObject({})).optional(),
  NRI: z.looseObject({}).nullish(),
  Containerd: z.looseObject({}).nullish(),
  Warnings: z.array(z.string()).nullable(),
  BuildahVersion: z.string(),
  CPURealtimePeriod: z.boolean(),
  CPURealtimeRuntime: z.boolean(),
  CgroupVersion: z.string(),
  Rootless: z.boolean(),
  SwapFree: z.number(),
  SwapTotal: z.number(),
  Uptime: z.string(),
});
export type Info = z.output<typeof Info>;
