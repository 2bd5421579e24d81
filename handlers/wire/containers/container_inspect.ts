/**
 * The answer to the inspection of a container in the native tree.
 *
 * @module
 */
import { z } from "../zod.ts";
import { InspectContainerHostConfig } from "./container_inspect_host.ts";
import { InspectNetworkSettings } from "./container_inspect_network.ts";
import { HealthCheckResults, Schema2HealthConfig, StartupHealthCheck } from "./health.ts";
import { time } from "../time.ts";

/** `define.DriverData`. */
export const DriverData = z.object({
  Name: z.string(),
  Data: z.record(z.string(), z.string()).nullable(),
});
export type DriverData = z.output<typeof DriverData>;

/** `define.InspectSecret`. */
export const InspectSecret = z.object({
  Name: z.string(),
  ID: z.string(),
  UID: z.number(),
  GID: z.number(),
  Mode: z.number(),
});
export type InspectSecret = z.output<typeof InspectSecret>;

/** `define.InspectContainerConfig`. */
export const InspectContainerConfig = z.object({
  Hostname: z.string(),
  Domainname: z.string(),
  User: z.string(),
  AttachStdin: z.boolean(),
  AttachStdout: z.boolean(),
  AttachStderr: z.boolean(),
  Tty: z.boolean(),
  OpenStdin: z.boolean(),
  StdinOnce: z.boolean(),
  Env: z.array(z.string()).nullable(),
  Cmd: z.array(z.string()).nullable(),
  Image: z.string(),
  Volumes: z.record(z.string(), z.looseObject({})).nullable(),
  WorkingDir: z.string(),
  /** One text, joined by spaces, for clients before version 5. */
  Entrypoint: z.union([z.array(z.string()), z.string()]).nullable(),
  OnBuild: z.string().nullable(),
  Labels: z.record(z.string(), z.string()).nullable(),
  Annotations: z.record(z.string(), z.string()).nullable(),
  /** A number for clients before version 5. */
  StopSignal: z.union([z.string(), z.number()]),
  StartupHealthCheck: StartupHealthCheck.nullish(),
  Healthcheck: Schema2HealthConfig.nullish(),
  HealthcheckOnFailureAction: z.string().optional(),
  HealthLogDestination: z.string().optional(),
  HealthcheckMaxLogCount: z.number().optional(),
  HealthcheckMaxLogSize: z.number().optional(),
  CreateCommand: z.array(z.string()).optional(),
  Timezone: z.string().optional(),
  SystemdMode: z.boolean().optional(),
  Umask: z.string().optional(),
  Secrets: z.array(InspectSecret).optional(),
  Timeout: z.number(),
  StopTimeout: z.number(),
  Passwd: z.boolean().nullish(),
  ChrootDirs: z.array(z.string()).optional(),
  sdNotifyMode: z.string().optional(),
  sdNotifySocket: z.string().optional(),
  ExposedPorts: z.record(z.string(), z.looseObject({})).optional(),
});
export type InspectContainerConfig = z.output<typeof InspectContainerConfig>;

/** `define.InspectContainerState`. */
export const InspectContainerState = z.object({
  OciVersion: z.string(),
  Status: z.string(),
  Running: z.boolean(),
  Paused: z.boolean(),
  Restarting: z.boolean(),
  OOMKilled: z.boolean(),
  Dead: z.boolean(),
  Pid: z.number(),
  ConmonPid: z.number().optional(),
  ExitCode: z.number(),
  Error: z.string(),
  StartedAt: time,
  FinishedAt: time,
  Health: HealthCheckResults.nullish(),
  Checkpointed: z.boolean().optional(),
  CgroupPath: z.string().optional(),
  CheckpointedAt: time,
  RestoredAt: time,
  CheckpointLog: z.string().optional(),
  CheckpointPath: z.string().optional(),
  RestoreLog: z.string().optional(),
  Restored: z.boolean().optional(),
  StoppedByUser: z.boolean().optional(),
});
export type InspectContainerState = z.output<typeof InspectContainerState>;

/** `define.InspectMount`. */
export const InspectMount = z.object({
  Type: z.string(),
  Name: z.string().optional(),
  Source: z.string(),
  Destination: z.string(),
  Driver: z.string(),
  Mode: z.string(),
  Options: z.array(z.string()).nullable(),
  RW: z.boolean(),
  Propagation: z.string(),
  SubPath: z.string().optional(),
});
export type InspectMount = z.output<typeof InspectMount>;

/** `define.InspectContainerData`. */
export const InspectContainerData = z.object({
  Id: z.string(),
  Created: time,
  Path: z.string(),
  Args: z.array(z.string()).nullable(),
  State: InspectContainerState.nullable(),
  Image: z.string(),
  ImageDigest: z.string(),
  ImageName: z.string(),
  Rootfs: z.string(),
  Pod: z.string(),
  ResolvConfPath: z.string(),
  HostnamePath: z.string(),
  HostsPath: z.string(),
  StaticDir: z.string(),
  OCIConfigPath: z.string().optional(),
  OCIRuntime: z.string().optional(),
  ConmonPidFile: z.string(),
  PidFile: z.string(),
  Name: z.string(),
  RestartCount: z.number(),
  Driver: z.string(),
  MountLabel: z.string(),
  ProcessLabel: z.string(),
  AppArmorProfile: z.string(),
  EffectiveCaps: z.array(z.string()).nullable(),
  BoundingCaps: z.array(z.string()).nullable(),
  ExecIDs: z.array(z.string()).nullable(),
  GraphDriver: DriverData.nullable(),
  SizeRw: z.number().nullish(),
  SizeRootFs: z.number().optional(),
  Mounts: z.array(InspectMount).nullable(),
  Dependencies: z.array(z.string()).nullable(),
  NetworkSettings: InspectNetworkSettings.nullable(),
  Namespace: z.string(),
  IsInfra: z.boolean(),
  IsService: z.boolean(),
  KubeExitCodePropagation: z.string(),
  lockNumber: z.number(),
  Config: InspectContainerConfig.nullable(),
  HostConfig: InspectContainerHostConfig.nullable(),
  UseImageHosts: z.boolean(),
  UseImageHostname: z.boolean(),
});
export type InspectContainerData = z.output<typeof InspectContainerData>;
