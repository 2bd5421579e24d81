import type { ContainerOptions } from "../container_options.ts";

/** How a pod is made. Its containers share its network, its ports and its host name; `{ pod: name }` puts a container in it. */
export interface PodOptions extends Pick<ContainerOptions, "name" | "labels" | "ports" | "network" | "hostname"> {
  /** When its containers are started again: `no`, `always`, `on-failure` or `unless-stopped`. Podman 4 has no such choice. */
  readonly restart?: string;
}

/** The facts about a pod that a list tells. */
export interface PodSummary {
  readonly id: string;
  readonly name: string;
  /** `Created`, `Running`, `Degraded`, `Exited`, … in the server's word. */
  readonly status: string;
  readonly created: Date | undefined;
  readonly labels: Readonly<Record<string, string>>;
  /** Its containers, with the one that holds its namespaces. */
  readonly containers: readonly { readonly id: string; readonly name: string; readonly status: string }[];
  /** The container that holds its namespaces, by ID. */
  readonly infra: string | undefined;
}

/** The facts about a pod. */
export interface PodDetails extends PodSummary {
  readonly hostname: string;
  /** Places on the host by port and protocol: `{ "80/tcp": [{ address: "", port: 8080 }] }`. */
  readonly ports: Readonly<Record<string, readonly { readonly address: string; readonly port: number }[]>>;
}

/** The use of processor and memory by a container of a pod. */
export interface PodStats {
  /** The pod's ID, as the server shortens it. */
  readonly pod: string;
  readonly container: string;
  readonly name: string;
  /** In percent of one processor. */
  readonly cpuPercent: number;
  /** In percent of its limit, or of the host's memory. */
  readonly memoryPercent: number;
  readonly processes: number;
  /** Used and limit, sent and received, in the server's words. */
  readonly memory: string;
  readonly network: string;
  readonly disk: string;
}
