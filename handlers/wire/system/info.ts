/**
 * The engine's description of itself and its host.
 *
 * @module
 */
import { z } from "../zod.ts";
import { IDMap } from "../containers/spec_generator_parts.ts";

/** `define.CPUUsage`. */
export const CPUUsage = z.object({
  userPercent: z.number(),
  systemPercent: z.number(),
  idlePercent: z.number(),
});
export type CPUUsage = z.output<typeof CPUUsage>;

/** `define.ConmonInfo`. */
export const ConmonInfo = z.object({
  package: z.string(),
  path: z.string(),
  version: z.string(),
});
export type ConmonInfo = z.output<typeof ConmonInfo>;

/** `define.DistributionInfo`. */
export const DistributionInfo = z.object({
  distribution: z.string(),
  variant: z.string().optional(),
  version: z.string(),
  codename: z.string().optional(),
});
export type DistributionInfo = z.output<typeof DistributionInfo>;

/** `define.IDMappings`. */
export const IDMappings = z.object({
  gidmap: z.array(IDMap).nullable(),
  uidmap: z.array(IDMap).nullable(),
});
export type IDMappings = z.output<typeof IDMappings>;

/** `define.OCIRuntimeInfo`. */
export const OCIRuntimeInfo = z.object({
  name: z.string(),
  package: z.string(),
  path: z.string(),
  version: z.string(),
});
export type OCIRuntimeInfo = z.output<typeof OCIRuntimeInfo>;

/** `define.PastaInfo`. */
export const PastaInfo = z.object({
  executable: z.string(),
  package: z.string(),
  version: z.string(),
});
export type PastaInfo = z.output<typeof PastaInfo>;

/** `define.RemoteSocket`. */
export const RemoteSocket = z.object({
  path: z.string().optional(),
  exists: z.boolean(),
});
export type RemoteSocket = z.output<typeof RemoteSocket>;

/** `define.SecurityInfo`. */
export const SecurityInfo = z.object({
  apparmorEnabled: z.boolean(),
  capabilities: z.string(),
  rootless: z.boolean(),
  seccompEnabled: z.boolean(),
  seccompProfilePath: z.string(),
  selinuxEnabled: z.boolean(),
});
export type SecurityInfo = z.output<typeof SecurityInfo>;

/** `nettypes.DNSNetworkInfo`. */
export const DNSNetworkInfo = z.object({
  version: z.string().optional(),
  package: z.string().optional(),
  path: z.string().optional(),
});
export type DNSNetworkInfo = z.output<typeof DNSNetworkInfo>;

/** `nettypes.NetworkInfo`. */
export const NetworkInfo = z.object({
  backend: z.string(),
  version: z.string().optional(),
  package: z.string().optional(),
  path: z.string().optional(),
  dns: DNSNetworkInfo,
  defaultNetwork: z.string().optional(),
});
export type NetworkInfo = z.output<typeof NetworkInfo>;

/** `define.HostInfo`. */
export const HostInfo = z.object({
  arch: z.string(),
  buildahVersion: z.string(),
  cgroupManager: z.string(),
  cgroupVersion: z.string(),
  cgroupControllers: z.array(z.string()).nullable(),
  conmon: ConmonInfo.nullable(),
  cpus: z.number(),
  cpuUtilization: CPUUsage.nullable(),
  databaseBackend: z.string(),
  distribution: DistributionInfo,
  eventLogger: z.string(),
  freeLocks: z.number().nullish(),
  hostname: z.string(),
  idMappings: IDMappings,
  kernel: z.string(),
  logDriver: z.string(),
  memFree: z.number(),
  memTotal: z.number(),
  networkBackend: z.string(),
  networkBackendInfo: NetworkInfo,
  ociRuntime: OCIRuntimeInfo.nullable(),
  os: z.string(),
  remoteSocket: RemoteSocket.nullish(),
  rootlessNetworkCmd: z.string(),
  runtimeInfo: z.record(z.string(), z.unknown()).optional(),
  serviceIsRemote: z.boolean(),
  security: SecurityInfo,
  pasta: PastaInfo,
  swapFree: z.number(),
  swapTotal: z.number(),
  uptime: z.string(),
  variant: z.string(),
  linkmode: z.string(),
  emulatedArchitectures: z.array(z.string()).optional(),
});
export type HostInfo = z.output<typeof HostInfo>;

/** `define.Plugins`. */
export const Plugins = z.object({
  volume: z.array(z.string()).nullable(),
  network: z.array(z.string()).nullable(),
  log: z.array(z.string()).nullable(),
  authorization: z.array(z.string()).nullable(),
});
export type Plugins = z.output<typeof Plugins>;

/** `define.ContainerStore`. */
export const ContainerStore = z.object({
  number: z.number(),
  paused: z.number(),
  running: z.number(),
  stopped: z.number(),
});
export type ContainerStore = z.output<typeof ContainerStore>;

/** `define.ImageStore`. */
export const ImageStore = z.object({
  number: z.number(),
});
export type ImageStore = z.output<typeof ImageStore>;

/** `define.StoreInfo`. */
export const StoreInfo = z.object({
  containerStore: ContainerStore,
  graphDriverName: z.string(),
  graphOptions: z.record(z.string(), z.unknown()).nullable(),
  graphRoot: z.string(),
  graphRootAllocated: z.number(),
  graphRootUsed: z.number(),
  graphStatus: z.record(z.string(), z.string()).nullable(),
  imageCopyTmpDir: z.string(),
  imageStore: ImageStore,
  runRoot: z.string(),
  volumePath: z.string(),
  transientStore: z.boolean(),
});
export type StoreInfo = z.output<typeof StoreInfo>;

/** `define.Version`. */
export const EngineVersion = z.object({
  APIVersion: z.string(),
  Version: z.string(),
  GoVersion: z.string(),
  GitCommit: z.string(),
  BuiltTime: z.string(),
  Built: z.number(),
  BuildOrigin: z.string().optional(),
  OsArch: z.string(),
  Os: z.string(),
});
export type EngineVersion = z.output<typeof EngineVersion>;

/** `define.Info`. */
export const Info = z.object({
  host: HostInfo.nullable(),
  store: StoreInfo.nullable(),
  registries: z.record(z.string(), z.unknown()).nullable(),
  plugins: Plugins,
  version: EngineVersion,
});
export type Info = z.output<typeof Info>;
