/**
 * Checkpoints of containers, in the native tree.
 *
 * @module
 */
import { optionalFlag } from "../query.ts";
import { z } from "../zod.ts";

/** The query of `CheckpointContainer`. */
export const CheckpointQuery = z.object({
  keep: optionalFlag,
  leaveRunning: optionalFlag,
  tcpEstablished: optionalFlag,
  export: optionalFlag,
  ignoreRootFS: optionalFlag,
  printStats: optionalFlag,
  preCheckpoint: optionalFlag,
  withPrevious: optionalFlag,
  fileLocks: optionalFlag,
  createImage: z.string().optional(),
});
export type CheckpointQuery = z.output<typeof CheckpointQuery>;

/** The query of `RestoreContainer`. */
export const RestoreQuery = z.object({
  keep: optionalFlag,
  tcpEstablished: optionalFlag,
  tcpClose: optionalFlag,
  import: optionalFlag,
  name: z.string().optional(),
  ignoreRootFS: optionalFlag,
  ignoreVolumes: optionalFlag,
  ignoreStaticIP: optionalFlag,
  ignoreStaticMAC: optionalFlag,
  printStats: optionalFlag,
  fileLocks: optionalFlag,
  publishPorts: z.string().optional(),
  pod: z.string().optional(),
});
export type RestoreQuery = z.output<typeof RestoreQuery>;

/** `define.CRIUCheckpointRestoreStatistics`. Times are microseconds. */
export const CRIUStatistics = z.object({
  freezing_time: z.number().optional(),
  frozen_time: z.number().optional(),
  memdump_time: z.number().optional(),
  memwrite_time: z.number().optional(),
  pages_scanned: z.number().optional(),
  pages_written: z.number().optional(),
  pages_compared: z.number().optional(),
  pages_skipped_cow: z.number().optional(),
  forking_time: z.number().optional(),
  restore_time: z.number().optional(),
  pages_restored: z.number().optional(),
});

/** `entitiesTypes.CheckpointReport`. */
export const CheckpointReport = z.object({
  Id: z.string(),
  runtime_checkpoint_duration: z.number(),
  criu_statistics: CRIUStatistics.nullable(),
});

/** `entitiesTypes.RestoreReport`. */
export const RestoreReport = z.object({
  Id: z.string(),
  runtime_restore_duration: z.number(),
  criu_statistics: CRIUStatistics.nullable(),
});
