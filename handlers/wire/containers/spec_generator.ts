/**
 * The body of the native create operation: Podman's `SpecGenerator`, every field of it.
 *
 * @module
 */
import { z } from "../zod.ts";
import { PortMapping } from "./container.ts";
import { Schema2HealthConfig, StartupHealthCheck } from "./health.ts";
import {
  LinuxDevice,
  LinuxDeviceCgroup,
  LinuxIntelRdt,
  LinuxResources,
  LinuxThrottleDevice,
  LinuxWeightDevice,
} from "./resources.ts";
import {
  ArtifactVolume,
  IDMappingOptions,
  ImageVolume,
  LinuxPersonality,
  LogConfig,
  Mount,
  NamedVolume,
  Namespace,
  OverlayVolume,
  PerNetworkOptions,
  Secret,
} from "./spec_generator_parts.ts";
import { WirePOSIXRlimit } from "../numbers.ts";

/** `specgen.ContainerBasicConfig`. */
export const ContainerBasicConfig = z.object({
  name: z.string().optional(),
  pod: z.string().optional(),
  entrypoint: z.array(z.string()).optional(),
  command: z.array(z.string()).optional(),
  env_host: z.boolean().nullish(),
  httpproxy: z.boolean().nullish(),
  env: z.record(z.string(), z.string()).optional(),
  terminal: z.boolean().nullish(),
  stdin: z.boolean().nullish(),
  labels: z.record(z.string(), z.string()).optional(),
  annotations: z.record(z.string(), z.string()).optional(),
  stop_signal: z.int().nullish(),
  stop_timeout: z.int().nullish(),
  timeout: z.int().optional(),
  log_configuration: LogConfig.nullish(),
  conmon_pid_file: z.string().optional(),
  restart_policy: z.string().optional(),
  restart_tries: z.int().nullish(),
  oci_runtime: z.string().optional(),
  systemd: z.string().optional(),
  sdnotifyMode: z.string().optional(),
  pidns: Namespace,
  utsns: Namespace,
  hostname: z.string().optional(),
  hostusers: z.array(z.string()).optional(),
  sysctl: z.record(z.string(), z.string()).optional(),
  remove: z.boolean().nullish(),
  removeImage: z.boolean().nullish(),
  containerCreateCommand: z.array(z.string()).optional(),
  timezone: z.string().optional(),
  dependencyContainers: z.array(z.string()).optional(),
  secret_env: z.record(z.string(), z.string()).optional(),
  init_container_type: z.string(),
  personality: LinuxPersonality.nullish(),
  envmerge: z.array(z.string()).optional(),
  unsetenv: z.array(z.string()).optional(),
  unsetenvall: z.boolean().nullish(),
  manage_password: z.boolean().nullish(),
  passwd_entry: z.string().optional(),
  group_entry: z.string().optional(),
});
export type ContainerBasicConfig = z.output<typeof ContainerBasicConfig>;

/** `specgen.ContainerStorageConfig`. */
export const ContainerStorageConfig = z.object({
  image: z.string(),
  raw_image_name: z.string().optional(),
  image_os: z.string().optional(),
  image_arch: z.string().optional(),
  image_variant: z.string().optional(),
  rootfs: z.string().optional(),
  rootfs_overlay: z.boolean().nullish(),
  rootfs_mapping: z.string().nullish(),
  image_volume_mode: z.string().optional(),
  volumes_from: z.array(z.string()).optional(),
  init: z.boolean().nullish(),
  init_path: z.string().optional(),
  mounts: z.array(Mount).optional(),
  volumes: z.array(NamedVolume).optional(),
  overlay_volumes: z.array(OverlayVolume).optional(),
  image_volumes: z.array(ImageVolume).optional(),
  artifact_volumes: z.array(ArtifactVolume).optional(),
  devices: z.array(LinuxDevice).optional(),
  device_cgroup_rule: z.array(LinuxDeviceCgroup).optional(),
  devices_from: z.array(z.string()).optional(),
  host_device_list: z.array(LinuxDevice).optional(),
  gpus: z.array(z.string()).optional(),
  ipcns: Namespace,
  shm_size: z.int().nullish(),
  shm_size_systemd: z.int().nullish(),
  work_dir: z.string().optional(),
  create_working_dir: z.boolean().nullish(),
  storage_opts: z.record(z.string(), z.string()).optional(),
  rootfs_propagation: z.string().optional(),
  secrets: z.array(Secret).optional(),
  volatile: z.boolean().nullish(),
  chroot_directories: z.array(z.string()).optional(),
});
export type ContainerStorageConfig = z.output<typeof ContainerStorageConfig>;

/** `specgen.ContainerSecurityConfig`. */
export const ContainerSecurityConfig = z.object({
  privileged: z.boolean().nullish(),
  user: z.string().optional(),
  groups: z.array(z.string()).optional(),
  cap_add: z.array(z.string()).optional(),
  cap_drop: z.array(z.string()).optional(),
  selinux_opts: z.array(z.string()).optional(),
  apparmor_profile: z.string().optional(),
  seccomp_policy: z.string().optional(),
  seccomp_profile_path: z.string().optional(),
  no_new_privileges: z.boolean().nullish(),
  userns: Namespace,
  idmappings: IDMappingOptions.nullish(),
  read_only_filesystem: z.boolean().nullish(),
  read_write_tmpfs: z.boolean().nullish(),
  label_nested: z.boolean().nullish(),
  umask: z.string().optional(),
  procfs_opts: z.array(z.string()).optional(),
  mask: z.array(z.string()).optional(),
  unmask: z.array(z.string()).optional(),
});
export type ContainerSecurityConfig = z.output<typeof ContainerSecurityConfig>;

/** `specgen.ContainerCgroupConfig`. */
export const ContainerCgroupConfig = z.object({
  cgroupns: Namespace,
  cgroups_mode: z.string().optional(),
  cgroup_parent: z.string().optional(),
});
export type ContainerCgroupConfig = z.output<typeof ContainerCgroupConfig>;

/** `specgen.ContainerNetworkConfig`. */
export const ContainerNetworkConfig = z.object({
  netns: Namespace,
  portmappings: z.array(PortMapping).optional(),
  publish_image_ports: z.boolean().nullish(),
  expose: z.record(z.string(), z.string()).optional(),
  Networks: z.record(z.string(), PerNetworkOptions).nullable(),
  networkOrder: z.array(z.string()).optional(),
  use_image_resolve_conf: z.boolean().nullish(),
  dns_server: z.array(z.string()).optional(),
  dns_search: z.array(z.string()).optional(),
  dns_option: z.array(z.string()).optional(),
  use_image_hostname: z.boolean().nullish(),
  use_image_hosts: z.boolean().nullish(),
  base_hosts_file: z.string().optional(),
  hostadd: z.array(z.string()).optional(),
  network_options: z.record(z.string(), z.array(z.string()).nullable()).optional(),
});
export type ContainerNetworkConfig = z.output<typeof ContainerNetworkConfig>;

/** `specgen.ContainerResourceConfig`. */
export const ContainerResourceConfig = z.object({
  intelRdt: LinuxIntelRdt.nullish(),
  resource_limits: LinuxResources.nullish(),
  r_limits: z.array(WirePOSIXRlimit).optional(),
  oom_score_adj: z.int().nullish(),
  weightDevice: z.record(z.string(), LinuxWeightDevice).optional(),
  throttleReadBpsDevice: z.record(z.string(), LinuxThrottleDevice).optional(),
  throttleWriteBpsDevice: z.record(z.string(), LinuxThrottleDevice).optional(),
  throttleReadIOPSDevice: z.record(z.string(), LinuxThrottleDevice).optional(),
  throttleWriteIOPSDevice: z.record(z.string(), LinuxThrottleDevice).optional(),
  unified: z.record(z.string(), z.string()).optional(),
});
export type ContainerResourceConfig = z.output<typeof ContainerResourceConfig>;

/** `specgen.ContainerHealthCheckConfig`. */
export const ContainerHealthCheckConfig = z.object({
  healthconfig: Schema2HealthConfig.nullish(),
  health_check_on_failure_action: z.int().optional(),
  startupHealthConfig: StartupHealthCheck.nullish(),
  healthLogDestination: z.string().default("local"),
  healthMaxLogCount: z.int().default(5),
  healthMaxLogSize: z.int().default(500),
});
export type ContainerHealthCheckConfig = z.output<typeof ContainerHealthCheckConfig>;

/** A container to be, as the native tree asks for it (`specgen.SpecGenerator`). */
export const SpecGenerator = z.object({
  ...ContainerBasicConfig.shape,
  ...ContainerStorageConfig.shape,
  ...ContainerSecurityConfig.shape,
  ...ContainerCgroupConfig.shape,
  ...ContainerNetworkConfig.shape,
  ...ContainerResourceConfig.shape,
  ...ContainerHealthCheckConfig.shape,
});
export type SpecGenerator = z.output<typeof SpecGenerator>;
