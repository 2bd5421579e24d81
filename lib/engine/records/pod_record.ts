import type { RestartPolicy } from "./container_record.ts";
import type { Limits } from "./limits.ts";

/** The kinds of namespaces that the containers of a pod can share, by Podman's names, in the order that clients see. */
export const POD_NAMESPACES = ["cgroup", "ipc", "net", "pid", "user", "uts"] as const;

/** One of {@linkcode POD_NAMESPACES}. */
export type PodNamespace = typeof POD_NAMESPACES[number];

/** The place of a pod in a job of Kubernetes. */
export interface JobPart {
  /** The job's name, which its pods share. */
  name: string;
  /** How many pods of the job run together. */
  parallel: number;
  /** No further pod is started once one has failed for good. */
  endsOnFailure: boolean;
}

/** A pod as stored. Its containers name it (`ContainerSpec.pod`); its state is theirs. */
export interface PodRecord {
  /** 64 hex digits. */
  id: string;
  name: string;
  /** Milliseconds since the epoch. */
  created: number;
  /** The hostname as asked for; absent: the pod's name. */
  hostname?: string;
  labels: Record<string, string>;
  /** The namespaces of the infra container that others join unless they ask for others. */
  shared: PodNamespace[];
  /** The ID of the infra container; empty where there is none. */
  infraID: string;
  /** The pod goes on, or stops, when the last container but the infra container has ended. */
  exitPolicy: "continue" | "stop";
  /** The policy of containers that name none. */
  restartPolicy?: RestartPolicy;
  /** The cgroup above the pod's own; empty where there is no host. */
  cgroupParent: string;
  /** The cgroup that the containers' cgroups lie in; empty where they lie where those of other containers do. */
  cgroupPath: string;
  /** Limits of that cgroup: of all containers together. */
  resources: Limits;
  /** As given by the client, for inspect. */
  createCommand: string[];
  /** The ID of the container that runs as long as any of the pods that name it. */
  serviceContainer?: string;
  /** The job that it is one of the pods of. */
  job?: JobPart;
}
