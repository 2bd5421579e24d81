import { FieldError } from "../../../lib/engine/errors.ts";

/** The names that a tree's clients have for the fields of `ContainerSpec`. */
export type FieldNames = Readonly<Record<string, string>>;

/** Runs work, and names fields in the engine's errors as the client does. */
export function nameFields<T>(names: FieldNames, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw named(error, names);
  }
}

/** The same for work that takes time. */
export async function nameFieldsLater<T>(names: FieldNames, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw named(error, names);
  }
}

function named(error: unknown, names: FieldNames): unknown {
  return error instanceof FieldError ? error.named(names) : error;
}

/** The names of Podman's `SpecGenerator`. */
export const NATIVE_NAMES: FieldNames = {
  apparmor: "apparmor_profile",
  baseHosts: "base_hosts_file",
  cgroupParent: "cgroup_parent",
  cgroupsMode: "cgroups_mode",
  chrootFolders: "chroot_directories",
  conmonPidFile: "conmon_pid_file",
  deviceRules: "device_cgroup_rule",
  dnsOptions: "dns_option",
  dnsSearch: "dns_search",
  dnsServers: "dns_server",
  exposed: "expose",
  groupEntry: "group_entry",
  hosts: "hostadd",
  imageVolumes: "image_volume_mode",
  initPath: "init_path",
  labelNested: "label_nested",
  logDriver: "log_configuration.driver",
  logOptions: "log_configuration.options",
  masks: "mask",
  "mounts.artifact": "artifact_volumes",
  "namespaces.cgroup": "cgroupns",
  "namespaces.ipc": "ipcns",
  "namespaces.network": "netns",
  "namespaces.pid": "pidns",
  "namespaces.user": "userns",
  "namespaces.uts": "utsns",
  networks: "Networks",
  noHosts: "use_image_hosts",
  noResolvConf: "use_image_resolve_conf",
  oomScoreAdj: "oom_score_adj",
  passwdEntry: "passwd_entry",
  ports: "portmappings",
  resources: "resource_limits",
  rlimits: "r_limits",
  rootPropagation: "rootfs_propagation",
  runtime: "oci_runtime",
  selinux: "selinux_opts",
  shmSize: "shm_size",
  treeLimit: "storage_opts",
};
