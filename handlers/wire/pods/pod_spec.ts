/**
 * The body of the create operation of pods: Podman's `PodSpecGenerator`, every field of it.
 *
 * @module
 */
import { PortMapping } from "../containers/container.ts";
import { LinuxResources } from "../containers/resources.ts";
import {
  IDMappingOptions,
  ImageVolume,
  Mount,
  NamedVolume,
  Namespace,
  OverlayVolume,
  PerNetworkOptions,
} from "../containers/spec_generator_parts.ts";
import { z } from "../zod.ts";

/** `specgen.PodBasicConfig`. */
export const PodBasicConfig = z.object({
  name: z.string().optional(),
  hostname: z.string().optional(),
  exit_policy: z.string().optional(),
  labels: z.record(z.string(), z.string()).optional(),
  no_infra: z.boolean().optional(),
  infra_conmon_pid_file: z.string().optional(),
  infra_command: z.array(z.string()).optional(),
  infra_image: z.string().optional(),
  infra_name: z.string().optional(),
  ipcns: Namespace,
  /** Absent: the usual ones; an empty list: none. */
  shared_namespaces: z.array(z.string()).nullish(),
  restart_policy: z.string().optional(),
  restart_tries: z.int().nullish(),
  share_parent: z.boolean().nullish(),
  pod_create_command: z.array(z.string()).optional(),
  pidns: Namespace,
  userns: Namespace,
  utsns: Namespace,
  pod_devices: z.array(z.string()).optional(),
  sysctl: z.record(z.string(), z.string()).optional(),
});
export type PodBasicConfig = z.output<typeof PodBasicConfig>;

/** `specgen.PodNetworkConfig`. */
export const PodNetworkConfig = z.object({
  netns: Namespace,
  portmappings: z.array(PortMapping).optional(),
  Networks: z.record(z.string(), PerNetworkOptions).nullable(),
  no_manage_resolv_conf: z.boolean().optional(),
  dns_server: z.array(z.string()).optional(),
  dns_search: z.array(z.string()).optional(),
  dns_option: z.array(z.string()).optional(),
  no_manage_hostname: z.boolean().optional(),
  no_manage_hosts: z.boolean().optional(),
  hostadd: z.array(z.string()).optional(),
  hostsFile: z.string().optional(),
  network_options: z.record(z.string(), z.array(z.string()).nullable()).optional(),
});
export type PodNetworkConfig = z.output<typeof PodNetworkConfig>;

/** `specgen.PodStorageConfig`. */
export const PodStorageConfig = z.object({
  mounts: z.array(Mount).optional(),
  volumes: z.array(NamedVolume).optional(),
  overlay_volumes: z.array(OverlayVolume).optional(),
  image_volumes: z.array(ImageVolume).optional(),
  volumes_from: z.array(z.string()).optional(),
  shm_size: z.int().nullish(),
  shm_size_systemd: z.int().nullish(),
});
export type PodStorageConfig = z.output<typeof PodStorageConfig>;

/** `specgen.PodSpecGenerator`. */
export const PodSpecGenerator = z.object({
  ...PodBasicConfig.shape,
  ...PodNetworkConfig.shape,
  /** `specgen.PodCgroupConfig` and `specgen.PodResourceConfig`. */
  cgroup_parent: z.string().optional(),
  resource_limits: LinuxResources.nullish(),
  ...PodStorageConfig.shape,
  /** `specgen.PodSecurityConfig`. */
  security_opt: z.array(z.string()).optional(),
  idmappings: IDMappingOptions.nullish(),
  serviceContainerID: z.string().optional(),
});
export type PodSpecGenerator = z.output<typeof PodSpecGenerator>;
