/**
 * Containers in lists, and what creating, removing and pruning them answers.
 *
 * @module
 */
import { z } from "../zod.ts";
import { time } from "../time.ts";

/** `entitiesTypes.ListContainerNamespaces`. */
export const ListContainerNamespaces = z.object({
  Mnt: z.string().optional(),
  Cgroup: z.string().optional(),
  Ipc: z.string().optional(),
  Net: z.string().optional(),
  Pidns: z.string().optional(),
  Uts: z.string().optional(),
  User: z.string().optional(),
});
export type ListContainerNamespaces = z.output<typeof ListContainerNamespaces>;

/** `nettypes.PortMapping`. */
export const PortMapping = z.object({
  host_ip: z.string(),
  container_port: z.int(),
  host_port: z.int(),
  range: z.int(),
  protocol: z.string(),
});
export type PortMapping = z.output<typeof PortMapping>;

/** `psDefine.ContainerSize`. */
export const ContainerSize = z.object({
  rootFsSize: z.number(),
  rwSize: z.number(),
});
export type ContainerSize = z.output<typeof ContainerSize>;

/** `entitiesTypes.ListContainer`. */
export const ListContainer = z.object({
  AutoRemove: z.boolean(),
  Command: z.array(z.string()).nullable(),
  Created: time,
  CreatedAt: z.string(),
  CIDFile: z.string(),
  Exited: z.boolean(),
  ExitedAt: z.number(),
  ExitCode: z.number(),
  ExposedPorts: z.record(z.string(), z.array(z.string()).nullable()).nullable(),
  Id: z.string(),
  Image: z.string(),
  ImageID: z.string(),
  IsInfra: z.boolean(),
  Labels: z.record(z.string(), z.string()).nullable(),
  Mounts: z.array(z.string()).nullable(),
  Names: z.array(z.string()).nullable(),
  Namespaces: ListContainerNamespaces,
  Networks: z.array(z.string()).nullable(),
  Pid: z.number(),
  Pod: z.string(),
  PodName: z.string(),
  Ports: z.array(PortMapping).nullable(),
  Restarts: z.number(),
  Size: ContainerSize.nullable(),
  StartedAt: z.number(),
  State: z.string(),
  Status: z.string(),
});
export type ListContainer = z.output<typeof ListContainer>;

/** `entitiesTypes.ContainerCreateResponse`. */
export const ContainerCreateResponse = z.object({
  Id: z.string(),
  Warnings: z.array(z.string()).nullable(),
});
export type ContainerCreateResponse = z.output<typeof ContainerCreateResponse>;

/** `handlers.ContainerTopOKBody`. */
export const ContainerTopOKBody = z.object({
  Processes: z.array(z.array(z.string())).nullable(),
  Titles: z.array(z.string()).nullable(),
});
export type ContainerTopOKBody = z.output<typeof ContainerTopOKBody>;

/** `reports.RmReport`. */
export const RmReport = z.object({
  Id: z.string(),
  Err: z.string().optional(),
  /** The name that the caller used for it; in answers to clients before 5.0 only, which show it. */
  RawInput: z.string().optional(),
});
export type RmReport = z.output<typeof RmReport>;

/** `reports.PruneReport`. */
export const PruneReport = z.object({
  Id: z.string(),
  Err: z.string().optional(),
  Size: z.number(),
});
export type PruneReport = z.output<typeof PruneReport>;
