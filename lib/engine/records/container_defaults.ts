import type { RLimit } from "./container_record.ts";

/** The containers' settings where a request leaves them out: the choices of a machine's owner, as containers.conf(5) has them. */
export interface ContainerDefaults {
  annotations?: Record<string, string>;
  /** The beginning of /etc/hosts: a path of the host, `image` or `none`. */
  baseHosts?: string;
  /** The capabilities that others are added to and dropped from. */
  capabilities?: string[];
  /** Files of cgroups v2, and what is written to them. */
  cgroupFiles?: Record<string, string>;
  cgroups?: string;
  /** Namespaces, in the words of the command line: `private`, `host`, `ns:PATH`, … */
  cgroupns?: string;
  ipcns?: string;
  netns?: string;
  pidns?: string;
  userns?: string;
  utsns?: string;
  /** `SOURCE[:DESTINATION][:ACCESS]` */
  devices?: string[];
  /** `none` alone leaves the image's resolv.conf. */
  dnsServers?: string[];
  dnsOptions?: string[];
  dnsSearch?: string[];
  /** Variables that the image's go before. */
  env?: Record<string, string>;
  envHost?: boolean;
  /** The address of `host.containers.internal`; `none`: no such name. */
  hostAddress?: string;
  httpProxy?: boolean;
  imageVolumes?: string;
  init?: boolean;
  initPath?: string;
  logDriver?: string;
  /** Bytes; none where it is not above 0. */
  logSizeMax?: number;
  /** The tag of a journal's entries. */
  logTag?: string;
  /** `type=TYPE,source=SOURCE,destination=DESTINATION[,OPTION…]` */
  mounts?: string[];
  /** The hostname is the container's name where none is asked for. */
  nameAsHostname?: boolean;
  noHosts?: boolean;
  oomScoreAdj?: number;
  /** 0 and less: no limit. */
  pidsLimit?: number;
  privileged?: boolean;
  readOnly?: boolean;
  /** The driver of secrets whose request names none. */
  secretDriver?: string;
  secretOptions?: Record<string, string>;
  /** A profile's path. */
  seccomp?: string;
  /** Bytes. */
  shmSize?: number;
  /** Seconds. */
  stopTimeout?: number;
  sysctl?: Record<string, string>;
  timezone?: string;
  ulimits?: RLimit[];
  umask?: string;
  /** `SOURCE:DESTINATION[:OPTIONS]` */
  volumes?: string[];
}
