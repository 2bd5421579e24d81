/**
 * Lists, reports and queries of pods.
 *
 * @module
 */
import { optionalFlag } from "../query.ts";
import { time } from "../time.ts";
import { z } from "../zod.ts";

/** Go's `[]error`: the texts, or null. */
const errors = z.array(z.string()).nullable();

/** `entitiesTypes.PodCreateReport`. */
export const PodCreateReport = z.object({ Id: z.string() });
export type PodCreateReport = z.output<typeof PodCreateReport>;

/** `entitiesTypes.ListPodContainer`. */
export const ListPodContainer = z.object({
  Id: z.string(),
  Names: z.string(),
  Status: z.string(),
  RestartCount: z.number(),
});
export type ListPodContainer = z.output<typeof ListPodContainer>;

/** `entitiesTypes.ListPodsReport`. */
export const ListPodsReport = z.object({
  Cgroup: z.string(),
  Containers: z.array(ListPodContainer).nullable(),
  Created: time,
  Id: z.string(),
  InfraId: z.string(),
  Name: z.string(),
  Namespace: z.string(),
  Networks: z.array(z.string()).nullable(),
  Status: z.string(),
  Labels: z.record(z.string(), z.string()).nullable(),
});
export type ListPodsReport = z.output<typeof ListPodsReport>;

/** `entitiesTypes.PodKillReport`, `PodPauseReport`, `PodUnpauseReport` and `PodRestartReport`. */
export const PodChangeReport = z.object({ Errs: errors, Id: z.string() });
export type PodChangeReport = z.output<typeof PodChangeReport>;

/** `entitiesTypes.PodStartReport` and `PodStopReport`. */
export const PodRunReport = z.object({ Errs: errors, Id: z.string(), RawInput: z.string() });
export type PodRunReport = z.output<typeof PodRunReport>;

/** `entitiesTypes.PodRmReport`: null for a container that has gone. */
export const PodRmReport = z.object({
  RemovedCtrs: z.record(z.string(), z.string().nullable()).nullable(),
  Err: z.string().nullable(),
  Id: z.string(),
});
export type PodRmReport = z.output<typeof PodRmReport>;

/** `entitiesTypes.PodPruneReport`. */
export const PodPruneReport = z.object({ Err: z.string().nullable(), Id: z.string() });
export type PodPruneReport = z.output<typeof PodPruneReport>;

/** `entitiesTypes.PodStatsReport`: figures in words. */
export const PodStatsReport = z.object({
  CPU: z.string(),
  MemUsage: z.string(),
  MemUsageBytes: z.string(),
  Mem: z.string(),
  NetIO: z.string(),
  BlockIO: z.string(),
  PIDS: z.string(),
  Pod: z.string(),
  CID: z.string(),
  Name: z.string(),
});
export type PodStatsReport = z.output<typeof PodStatsReport>;

/** The query of `Pods`; filters are read by the operation, which has an error of its own for bad ones. */
export const PodsQuery = z.object({ filters: z.string().optional() });

/**
 * The query of `PodStop`. A `t` that is not positive leaves the time to each container. Podman's own client says `timeout`, which
 * Podman passes over: 0 is at once, and less than 0 leaves it to each container.
 */
export const PodStopQuery = z.object({ t: z.int().optional(), timeout: z.int().optional() });
export type PodStopQuery = z.output<typeof PodStopQuery>;

/** The query of `PodDelete`. */
export const PodDeleteQuery = z.object({ force: optionalFlag, timeout: z.int().nonnegative().optional() });

/** The query of `PodKill`. */
export const PodKillQuery = z.object({ signal: z.string().optional() });

/** The query of `PodTop`. */
export const PodTopQuery = z.object({
  delay: z.int().optional(),
  ps_args: z.string().optional(),
  stream: optionalFlag,
});

/** The query of `PodStats`. */
export const PodStatsQuery = z.object({
  namesOrIDs: z.array(z.string()).optional(),
  all: optionalFlag,
  stream: optionalFlag,
  delay: z.int().optional(),
});
export type PodStatsQuery = z.output<typeof PodStatsQuery>;
