import type { CallOptions } from "../../../rest/mod.ts";
import type { PodDetails, PodOptions, PodStats, PodSummary } from "../../resources/pod_details.ts";

/** The operations on pods, in the tree that has them. */
export interface PodDialect {
  /** Resolves with the pod's ID. */
  create(options: PodOptions, call?: CallOptions): Promise<string>;
  start(name: string, call?: CallOptions): Promise<void>;
  /** Without seconds each container has its own time. */
  stop(name: string, seconds: number | undefined, call?: CallOptions): Promise<void>;
  restart(name: string, call?: CallOptions): Promise<void>;
  kill(name: string, signal: string, call?: CallOptions): Promise<void>;
  pause(name: string, call?: CallOptions): Promise<void>;
  unpause(name: string, call?: CallOptions): Promise<void>;
  remove(name: string, force: boolean, call?: CallOptions): Promise<void>;
  /** Resolves with the IDs of the pods that are gone. */
  prune(call?: CallOptions): Promise<string[]>;
  list(filters: string | undefined, call?: CallOptions): Promise<PodSummary[]>;
  inspect(name: string, call?: CallOptions): Promise<PodDetails>;
  /** The figures of the containers of these pods, or of all that run. */
  stats(names: readonly string[], call?: CallOptions): Promise<PodStats[]>;
}
