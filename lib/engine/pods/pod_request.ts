import type { ContainerRequest } from "../containers/request/container_request.ts";
import type { RestartPolicy } from "../records/container_record.ts";
import type { JobPart } from "../records/pod_record.ts";
import type { Limits, PathLimits } from "../records/limits.ts";

/** The infra container of a pod that is to be made. */
export interface InfraRequest {
  /** `<first 12 digits of the pod's ID>-infra` by default. */
  name?: string;
  /** An image to run in place of the engine's own pause program. */
  image?: string;
  /** The program's arguments, in place of the image's. */
  command?: string[];
  /** A further file for the supervisor's process ID. */
  conmonPidFile?: string;
}

/** How a pod is made. Every field may be absent. */
export interface PodRequest {
  /** A random one by default. */
  name?: string;
  /** The pod's name by default. */
  hostname?: string;
  labels?: Record<string, string>;
  /** `false`: no container holds namespaces, and none are shared. */
  infra?: InfraRequest | false;
  /** The settings of the infra container: networks, ports, DNS, hosts, mounts, namespaces, users, devices, security. */
  container?: ContainerRequest;
  /** Words for {@linkcode PodNamespace}s, or `none`; `ipc`, `net` and `uts` by default. */
  shared?: readonly string[];
  /** `false`: the containers' cgroups do not lie below one of the pod's own. */
  ownsCgroup?: boolean;
  /** `continue`, the default, or `stop`. */
  exitPolicy?: string;
  restartPolicy?: RestartPolicy;
  resources?: Limits;
  pathLimits?: PathLimits;
  cgroupParent?: string;
  createCommand?: string[];
  /** The name or ID of a container that runs as long as the pod. */
  serviceContainer?: string;
  /** The job that it is one of the pods of: the next is started when it has ended. */
  job?: JobPart;
}

/** Options of {@linkcode Pods.remove}. */
export interface PodRemoval {
  /** Stop containers that run. */
  force?: boolean;
  /** Seconds each container gets to stop; its own by default. */
  timeout?: number;
}
