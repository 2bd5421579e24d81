import type { IDMaps } from "./id_maps.ts";
import type { DeviceRule, DeviceSpec, Limits, PathLimits, TreeLimit } from "./limits.ts";
import type { MountRequest, MountSpec } from "./mount_spec.ts";
import type {
  IdentitySpec,
  LifeSpec,
  MemberSpec,
  ProcessSpec,
  RequestWords,
  SecuritySpec,
  UserSpec,
} from "./spec_parts.ts";
import type { HealthPlan, HealthWish } from "./health_plan.ts";
import type { LifecycleHooks } from "./lifecycle_hooks.ts";
import type { StoredSpec } from "./stored_spec.ts";
import type { SecretMount } from "./secret_mount.ts";
import type { NetworkStatus } from "./network_status.ts";
import type { UserNetworkProgram } from "./user_network.ts";

/** How a namespace is had: a shareable one is private, and others may join it. `value` is a container ID for `container`, a path for `path`. */
export interface NamespaceMode {
  mode: "private" | "shareable" | "host" | "none" | "bridge" | "container" | "path" | UserNetworkProgram;
  value?: string;
  /** Options of the program that carries the network, as its users write them; empty ones are left out. */
  options?: string[];
}

/** A published port. */
export interface PortMapping {
  /** Empty means every address of IPv4, and those of IPv6 where the container has one too. */
  hostIP: string;
  /** With an empty `hostIP`: every address of IPv6 in any case, as Docker's clients expect. */
  bothFamilies?: true;
  /** 0 in a spec means any free one; never 0 in a record. */
  hostPort: number;
  /** In a spec: any free one from `hostPort` to this. */
  lastHostPort?: number;
  containerPort: number;
  protocol: "tcp" | "udp" | "sctp";
  /** How many consecutive ports; at least 1. */
  range: number;
}

/** A limit as `setrlimit(2)` has it. `RLIM_INFINITY` is 2^64-1. */
export interface RLimit {
  /** `RLIMIT_NOFILE`, … */
  type: string;
  soft: bigint;
  hard: bigint;
}

/** Which cgroups are made for a container; its supervisor has none of its own in any case. */
export type CgroupsMode = "enabled" | "no-conmon" | "disabled";

/** A container's place in one network. */
export interface NetworkAttachment {
  aliases: string[];
  staticIPs: string[];
  /** Further addresses of the interface, from 169.254.0.0/16 or fe80::/10. */
  linkLocalIPs?: string[];
  mac?: string;
  /** Name inside the container: eth0, … */
  interfaceName: string;
  /** Kernel settings of the interface, `net.ipv4.conf.IFNAME.log_martians=1`, where `IFNAME` stands for its name. */
  interfaceSettings?: string[];
  /** The rank as the way out: the network with the greatest has the default route; absent: 0. */
  gatewayPriority?: number;
  /** The place of its default route among the container's, smallest first, where it is not that of the network in their order. */
  routePlace?: number;
}

/** The specification of a container: a create request after translation and before defaults of image and engine. */
export interface ContainerSpec extends IdentitySpec, ProcessSpec, LifeSpec, MemberSpec, SecuritySpec, UserSpec {
  name?: string;
  image: string;
  entrypoint?: string[];
  command?: string[];
  /** Added to the image's. */
  env: Record<string, string>;
  /** Names taken out of the image's environment; `true` drops all of it. */
  unsetEnv?: string[] | true;
  /** `false` keeps the engine's own proxy variables out of the environment. */
  httpProxy?: boolean;
  workdir?: string;
  /** Make `workdir` where the image has no such folder. The image's own is made in any case. */
  createWorkdir?: boolean;
  user?: string;
  groups: string[];
  hostname?: string;
  terminal: boolean;
  /** Keep standard input open for attach. */
  stdin: boolean;
  stdinOnce?: boolean;
  labels: Record<string, string>;
  annotations: Record<string, string>;
  stopSignal?: number;
  /** Seconds. */
  stopTimeout?: number;
  /** Seconds a run may last; then it is killed. */
  timeout?: number;
  /** Remove when it ends. */
  remove: boolean;
  mounts: MountRequest[];
  /** Containers whose mounts this one gets too: `name[:ro,rw,z]`. */
  volumesFrom?: string[];
  /** The mounts that the image's volumes become; `anonymous` by default. */
  imageVolumes?: "anonymous" | "tmpfs" | "ignore";
  /** A folder of the host in place of an image, and whether changes are kept apart from it. */
  rootfs?: { path: string; overlay: boolean };
  /** Limits what the container writes to its own tree, where the file system has project quotas. */
  treeLimit?: TreeLimit;
  /** The container's writes need not outlast a crash of the host. */
  volatile?: boolean;
  /** How mounts made on one side of the root show on the other: `private`, `rslave`, … */
  rootPropagation?: string;
  capAdd: string[];
  capDrop: string[];
  privileged: boolean;
  readOnly: boolean;
  /** tmpfs on /dev/shm, /run, /tmp, /var/tmp of a read-only root. */
  readWriteTmpfs: boolean;
  /** With `readOnly`, no place at all may be written to, /dev and /dev/shm included. */
  fullyReadOnly?: boolean;
  /** Further names of other containers in its networks, for this container alone: `container:alias`. */
  links?: string[];
  noNewPrivileges: boolean;
  /** `unconfined`, the path of a profile, a profile itself, or absent for the default one. */
  seccomp?: string;
  umask?: string;
  masks: string[];
  unmasks: string[];
  init: boolean;
  namespaces: {
    network: NamespaceMode;
    pid: NamespaceMode;
    ipc: NamespaceMode;
    uts: NamespaceMode;
    cgroup: NamespaceMode;
    /** Absent: the host's. */
    user?: NamespaceMode;
  };
  /** By network name; empty with mode `bridge` means the default network. */
  networks: Record<string, Partial<NetworkAttachment>>;
  ports: PortMapping[];
  publishImagePorts: boolean;
  /** `80/tcp`, … */
  exposed: string[];
  dnsServers: string[];
  dnsSearch: string[];
  dnsOptions: string[];
  /** `name:ip` lines for /etc/hosts. */
  hosts: string[];
  noHosts: boolean;
  noResolvConf: boolean;
  /** Leave the image's passwd and group files as they are, whoever the container runs as. */
  noPasswd?: boolean;
  resources: Limits;
  /** Limits of block devices by path; asked for at create only, where they become part of `resources`. */
  pathLimits?: PathLimits;
  /** Paths of the block devices in `resources`, by `major:minor`; set at create. */
  blockDevices?: Record<string, string>;
  devices?: DeviceSpec[];
  /** Devices of the Container Device Interface, `vendor.com/class=name`; looked up at each start. */
  cdiDevices?: string[];
  /** GPUs among these, by plain names, of the vendor that the host has devices of. */
  gpus?: string[];
  /** Containers whose devices it is to have as well; asked for at create only. */
  devicesFrom?: string[];
  deviceRules?: DeviceRule[];
  /** `enabled` when absent. */
  cgroupsMode?: CgroupsMode;
  rlimits: RLimit[];
  oomScoreAdj?: number;
  sysctl: Record<string, string>;
  shmSize?: number;
  cgroupParent?: string;
  timezone?: string;
  /** `k8s-file`, `json-file`, `local` (same file, other names), `journald`, `none`; absent: the engine's default. */
  logDriver?: string;
  /** Bytes; -1 or absent: no limit. */
  logSizeMax?: number;
  logPath?: string;
  logOptions: Record<string, string>;
  /** As given by the client, for inspect. */
  createCommand: string[];
  /** The same of single fields; absent where there is nothing to tell. */
  requestWords?: RequestWords;
  restartPolicy?: RestartPolicy;
  health?: HealthWish;
  hooks?: LifecycleHooks;
  secrets?: SecretWish[];
  /** Variables, each with the name or ID of the secret that is its value. */
  secretEnv?: Record<string, string>;
}

/** A secret as asked for. */
export interface SecretWish {
  /** Its name or ID. */
  source: string;
  /** A path, or one below /run/secrets; the secret's name by default. */
  target?: string;
  uid: number;
  gid: number;
  mode: number;
}

/** Whether a container that has ended is started again; `retries` bounds `on-failure`, 0 or absent: for ever. */
export interface RestartPolicy {
  name: "no" | "always" | "on-failure" | "unless-stopped";
  retries?: number;
}

/** The process as it will be run: spec and image merged, nothing left to default. */
export interface ProcessConfig {
  args: string[];
  env: string[];
  workdir: string;
  /** As given: `name`, `uid`, `uid:gid`, `name:group`; empty is root. Resolved inside the container's tree at start. */
  user: string;
  terminal: boolean;
}

/** How a container ended. */
export interface ExitStatus {
  code: number;
  /** Milliseconds since the epoch. */
  time: number;
  oomKilled: boolean;
}

/** The place where the supervisor writes a container's log. */
export interface LogSource {
  driver: "k8s-file" | "journald" | "none";
  /** The log's file; empty where there is none. */
  path: string;
  /** The ID of the container whose entries of the journal it is. */
  id?: string;
  /** The user's own place: the file stays when the container goes. */
  kept?: true;
  /** The size at which the supervisor begins a new file, in bytes; absent: the spec's. */
  sizeMax?: number;
  /** The files of a log that begins anew at a size; absent: one, which the supervisor alone sees to. */
  older?: OlderLogs;
}

/** Files that a log had before its present one. */
export interface OlderLogs {
  /** How many files the log has at most, the present one included. */
  files: number;
  /** Whether the older ones are compressed. */
  gzip: boolean;
}

/** Podman's names for container states (`ContainerStatus` on the wire). */
export type ContainerStatus = "created" | "initialized" | "running" | "paused" | "stopping" | "exited" | "removing";

/** The part of a container that changes while it lives. */
export interface ContainerState {
  status: ContainerStatus;
  pid: number;
  conmonPid: number;
  /** Milliseconds since the epoch; 0 when it never was. */
  startedAt: number;
  finishedAt: number;
  exitCode: number;
  oomKilled: boolean;
  error: string;
  restartCount: number;
  /** Milliseconds the last restart by policy waited; absent where there was none in this life. */
  restartDelay?: number;
  /** True when a user asked for the stop. */
  stoppedByUser: boolean;
  /** The stop was the host's, which went down: its next boot starts the container as if nobody had stopped it. */
  stoppedForShutdown?: boolean;
  /** Milliseconds since the epoch; absent once it was started or restored since. */
  checkpointedAt?: number;
  /** When this life was brought back from a checkpoint. */
  restoredAt?: number;
  network?: NetworkStatus;
}

/** A container as stored. Everything that makes it again is in `spec` and what was derived at create. */
export interface ContainerRecord {
  /** 64 hex digits. */
  id: string;
  name: string;
  created: number;
  spec: StoredSpec;
  /** The image's ID, its name as asked, and the layers the tree is made of, base first. */
  imageID: string;
  imageName: string;
  diffIDs: string[];
  process: ProcessConfig;
  /** Absent: the host's. */
  idMaps?: IDMaps;
  /** Its software is systemd. */
  systemd?: boolean;
  stopSignal: number;
  stopTimeout: number;
  hostname: string;
  /** With sources resolved: bind paths, volume names. */
  mounts: MountSpec[];
  ports: PortMapping[];
  /** By network name, with addresses given by the engine. */
  networks: Record<string, NetworkAttachment>;
  log: LogSource;
  /** Absent in records that were made before there were checks. */
  health?: HealthPlan;
  /** The secrets it mounts, without their values. */
  secrets?: SecretMount[];
  state: ContainerState;
}
