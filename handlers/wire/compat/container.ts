/**
 * Containers in lists and inspections, as Docker has them.
 *
 * @module
 */
import { z } from "../zod.ts";
import { Config } from "./config.ts";
import { HostConfig } from "./host_config.ts";
import { Descriptor, Platform, StorageDriverData } from "./descriptor.ts";
import { MountPoint } from "./mount.ts";
import { NetworkingConfig, NetworkSettings, NetworkSettingsSummary } from "./network.ts";
import { time } from "../time.ts";

/** `dockerContainer.HealthSummary`. */
export const HealthSummary = z.object({
  Status: z.string(),
  FailingStreak: z.number(),
});
export type HealthSummary = z.output<typeof HealthSummary>;

/** `dockerContainer.PortSummary`. */
export const PortSummary = z.object({
  IP: z.string().optional(),
  PrivatePort: z.number(),
  PublicPort: z.number().optional(),
  Type: z.string(),
});
export type PortSummary = z.output<typeof PortSummary>;

/** `handlers.Container`. */
export const ContainerSummary = z.object({
  Id: z.string(),
  Names: z.array(z.string()).nullable(),
  Image: z.string(),
  ImageID: z.string(),
  ImageManifestDescriptor: Descriptor.nullish(),
  Command: z.string(),
  Created: z.number(),
  Ports: z.array(PortSummary).nullable(),
  SizeRw: z.number().optional(),
  SizeRootFs: z.number().optional(),
  Labels: z.record(z.string(), z.string()).nullable(),
  State: z.string(),
  Status: z.string(),
  Health: HealthSummary.nullish(),
  HostConfig: z.object({ NetworkMode: z.string(), Annotations: z.record(z.string(), z.string()).optional() })
    .optional(),
  NetworkSettings: NetworkSettingsSummary.nullable(),
  Mounts: z.array(MountPoint).nullable(),
  Name: z.string(),
  Config: Config.nullable(),
  NetworkingConfig: NetworkingConfig.nullable(),
  Platform: Platform.nullable(),
  DefaultReadOnlyNonRecursive: z.boolean(),
});
export type ContainerSummary = z.output<typeof ContainerSummary>;

/** `dockerContainer.HealthcheckResult`. */
export const HealthcheckResult = z.object({
  Start: time,
  End: time,
  ExitCode: z.number(),
  Output: z.string(),
});
export type HealthcheckResult = z.output<typeof HealthcheckResult>;

/** `dockerContainer.Health`. */
export const Health = z.object({
  Status: z.string(),
  FailingStreak: z.number(),
  Log: z.array(HealthcheckResult).nullable(),
});
export type Health = z.output<typeof Health>;

/** `dockerContainer.State`. */
export const State = z.object({
  Status: z.string(),
  Running: z.boolean(),
  Paused: z.boolean(),
  Restarting: z.boolean(),
  OOMKilled: z.boolean(),
  Dead: z.boolean(),
  Pid: z.number(),
  ExitCode: z.number(),
  Error: z.string(),
  StartedAt: z.string(),
  FinishedAt: z.string(),
  Health: Health.nullish(),
});
export type State = z.output<typeof State>;

/** `dockerStorage.Storage`. */
export const Storage = z.object({
  RootFS: z.looseObject({}).nullish(),
});
export type Storage = z.output<typeof Storage>;

/** `handlers.ContainerConfig`. */
export const InspectConfig = Config.extend({
  MacAddress: z.string().optional(),
});
export type InspectConfig = z.output<typeof InspectConfig>;

/** `handlers.LegacyImageInspect`. */
export const ContainerInspect = z.object({
  Id: z.string(),
  Created: z.string(),
  Path: z.string(),
  Args: z.array(z.string()).nullable(),
  State: State.nullable(),
  Image: z.string(),
  ResolvConfPath: z.string(),
  HostnamePath: z.string(),
  HostsPath: z.string(),
  LogPath: z.string(),
  Name: z.string(),
  RestartCount: z.number(),
  Driver: z.string(),
  Platform: z.string(),
  MountLabel: z.string(),
  ProcessLabel: z.string(),
  AppArmorProfile: z.string(),
  ExecIDs: z.array(z.string()).nullable(),
  HostConfig: HostConfig.nullable(),
  GraphDriver: StorageDriverData.nullish(),
  Storage: Storage.nullish(),
  SizeRw: z.number().nullish(),
  SizeRootFs: z.number().nullish(),
  Mounts: z.array(MountPoint).nullable(),
  ImageManifestDescriptor: Descriptor.nullish(),
  NetworkSettings: NetworkSettings.nullable(),
  Config: InspectConfig.nullable(),
});
export type ContainerInspect = z.output<typeof ContainerInspect>;

/** `handlers.ContainerWaitOKBody`. */
export const ContainerWaitOKBody = z.object({
  StatusCode: z.number(),
  Error: z.object({ Message: z.string() }).nullable(),
});
export type ContainerWaitOKBody = z.output<typeof ContainerWaitOKBody>;

/** `handlers.ContainersPruneReport`. */
export const ContainersPruneReport = z.object({
  ContainersDeleted: z.array(z.string()).nullable(),
  SpaceReclaimed: z.number(),
});
export type ContainersPruneReport = z.output<typeof ContainersPruneReport>;
