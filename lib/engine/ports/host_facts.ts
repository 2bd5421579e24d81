/** Facts about a host and its containers. */

/** Facts about the host for `info` and `version`. */
export interface HostInfo {
  arch: string;
  os: string;
  kernel: string;
  hostname: string;
  /** Tells the engine from those of other machines and folders, and stays: a UUID; absent where nothing lasts. */
  id?: string;
  cpus: number;
  memTotal: number;
  memFree: number;
  swapTotal: number;
  swapFree: number;
  /** Seconds since boot. */
  uptime: number;
  /** The shares of processor time since boot, in percent. */
  cpuUsage: { user: number; system: number; idle: number };
  distribution: { distribution: string; version: string; codename?: string };
  cgroupVersion: "v1" | "v2";
  cgroupManager: string;
  cgroupControllers: string[];
  conmon: { path: string; version: string; package: string };
  runtime: { name: string; path: string; version: string; package: string };
  networkBackend: { name: string; path: string; version: string; package: string };
  /** The drivers of networks and of logs that work here. */
  drivers: { network: readonly string[]; log: readonly string[] };
  /** The program that answers names in networks; empty texts where it is missing. */
  dns: { path: string; version: string; package: string };
  /** The program that carries networks of ordinary users; empty texts where it is missing. */
  pasta: { path: string; version: string; package: string };
  /** The program behind published ports; empty where it is missing. */
  firewall: string;
  /** Whether the host passes packets on between its networks. */
  forwards: { ipv4: boolean };
  securityOptions: {
    seccomp: boolean;
    seccompProfilePath: string;
    apparmor: boolean;
    selinux: boolean;
    rootless: boolean;
    capabilities: string;
  };
  graphRoot: string;
  /** Bytes of the file system that the root is in, and how many are taken. */
  graphRootSize: { allocated: number; used: number };
  runRoot: string;
  volumePath: string;
  graphDriver: string;
  /** Folders with files of the Container Device Interface; a later one wins. */
  deviceFolders: readonly string[];
  backingFilesystem: string;
  /** The kernel's overlays of container trees; left out where there are none. */
  overlay?: {
    /** Whether an upper folder is a plain difference of its lower ones, without copies of metadata alone. */
    plainDifference: boolean;
    /** Whether trees that need not outlive a crash are mounted so that nothing waits for the disk. */
    volatile: boolean;
  };
}

/** A host's facts about a container. Paths are the host's; those that exist only while there is a process are always given. */
export interface ContainerFacts {
  /** The folder of what lasts as long as the container. */
  folder: string;
  /** CRIU's images of it. */
  checkpoint: string;
  /** The runtime's specification. */
  config: string;
  pidFile: string;
  conmonPidFile: string;
  resolvConf: string;
  hostname: string;
  hosts: string;
  /** The container's tree: its parts, base layer last, and where it is mounted. */
  tree: { lower: string[]; upper: string; work: string; merged: string };
  /** Paths that its processes do not see, and those they cannot write to. */
  hidden: { maskedPaths: string[]; readonlyPaths: string[] };
  /** Of the process it starts with. */
  capabilities: { effective: string[]; bounding: string[] };
}
