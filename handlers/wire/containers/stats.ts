/**
 * The resource usage of several containers at once, as the native tree reports it.
 *
 * @module
 */
import { Int64 } from "../numbers.ts";
import { z } from "../zod.ts";

/** `define.ContainerNetworkStats`. */
export const ContainerNetworkStats = z.object({
  RxBytes: z.number(),
  RxDropped: z.number(),
  RxErrors: z.number(),
  RxPackets: z.number(),
  TxBytes: z.number(),
  TxDropped: z.number(),
  TxErrors: z.number(),
  TxPackets: z.number(),
});
export type ContainerNetworkStats = z.output<typeof ContainerNetworkStats>;

/** `define.ContainerStats`. Times are nanoseconds. */
export const ContainerStats = z.object({
  AvgCPU: z.number(),
  ContainerID: z.string(),
  Name: z.string(),
  CPU: z.number(),
  CPUNano: z.number(),
  CPUSystemNano: z.number(),
  /** When the figures were taken; past 2^53. */
  SystemNano: Int64,
  MemUsage: z.number(),
  MemLimit: z.number(),
  MemPerc: z.number(),
  Network: z.record(z.string(), ContainerNetworkStats).nullable(),
  BlockInput: z.number(),
  BlockOutput: z.number(),
  PIDs: z.number(),
  UpTime: z.number(),
  Duration: z.number(),
  /** These three in answers to clients before 5.0 only. */
  PerCPU: z.array(z.number()).optional(),
  NetInput: z.number().optional(),
  NetOutput: z.number().optional(),
});
export type ContainerStats = z.output<typeof ContainerStats>;

/** `entitiesTypes.ContainerStatsReport`. An error of Go's has no fields of its own. */
export const ContainerStatsReport = z.object({
  Error: z.object({}).nullable(),
  Stats: z.array(ContainerStats).nullable(),
});
export type ContainerStatsReport = z.output<typeof ContainerStatsReport>;
