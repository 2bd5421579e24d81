import type { FieldNames } from "../../../containers/spec/name_fields.ts";

/** The names that Docker's clients have for the limits, in an update as they are here, in a create below `HostConfig`. */
const LIMITS: FieldNames = {
  "resources.blockIO": "BlkioWeight",
  "resources.cpu": "NanoCpus",
  "resources.cpu.cpus": "CpusetCpus",
  "resources.cpu.mems": "CpusetMems",
  "resources.cpu.period": "CpuPeriod",
  "resources.cpu.quota": "CpuQuota",
  "resources.cpu.realtimePeriod": "CpuRealtimePeriod",
  "resources.cpu.realtimeRuntime": "CpuRealtimeRuntime",
  "resources.cpu.shares": "CpuShares",
  "resources.memory": "Memory",
  "resources.memory.disableOOMKiller": "OomKillDisable",
  "resources.memory.limit": "Memory",
  "resources.memory.reservation": "MemoryReservation",
  "resources.memory.swap": "MemorySwap",
  "resources.memory.swappiness": "MemorySwappiness",
  "resources.pids": "PidsLimit",
  "resources.pids.limit": "PidsLimit",
  rlimits: "Ulimits",
};

/** The fields of an update, which is a `HostConfig` itself. */
export const UPDATE_NAMES: FieldNames = LIMITS;

const HOST: FieldNames = {
  ...LIMITS,
  apparmor: "SecurityOpt",
  cgroupParent: "CgroupParent",
  deviceRules: "DeviceCgroupRules",
  devices: "Devices",
  dnsOptions: "DnsOptions",
  dnsSearch: "DnsSearch",
  dnsServers: "Dns",
  groups: "GroupAdd",
  hosts: "ExtraHosts",
  labelNested: "SecurityOpt",
  logDriver: "LogConfig.Type",
  logOptions: "LogConfig.Config",
  masks: "SecurityOpt",
  mounts: "Mounts",
  "namespaces.cgroup": "CgroupnsMode",
  "namespaces.ipc": "IpcMode",
  "namespaces.network": "NetworkMode",
  "namespaces.pid": "PidMode",
  "namespaces.user": "UsernsMode",
  "namespaces.uts": "UTSMode",
  oomScoreAdj: "OomScoreAdj",
  ports: "PortBindings",
  runtime: "Runtime",
  selinux: "SecurityOpt",
  shmSize: "ShmSize",
  sysctl: "Sysctls",
  treeLimit: "StorageOpt",
};

/** The names that Docker's clients have for the fields of `ContainerSpec`. */
export const DOCKER_NAMES: FieldNames = {
  ...Object.fromEntries(Object.entries(HOST).map(([field, name]) => [field, `HostConfig.${name}`])),
  exposed: "ExposedPorts",
  hostname: "Hostname",
  networks: "NetworkingConfig.EndpointsConfig",
  user: "User",
};
