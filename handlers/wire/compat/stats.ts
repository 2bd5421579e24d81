/**
 * The resource usage of one container, as Docker reports it.
 *
 * @module
 */
import { time } from "../time.ts";
import { z } from "../zod.ts";

/** `container.BlkioStatEntry`. */
export const BlkioStatEntry = z.object({
  major: z.number(),
  minor: z.number(),
  op: z.string(),
  value: z.number(),
});
export type BlkioStatEntry = z.output<typeof BlkioStatEntry>;

const entries = z.array(BlkioStatEntry).nullable();

/** `container.BlkioStats`. */
export const BlkioStats = z.object({
  io_service_bytes_recursive: entries,
  io_serviced_recursive: entries,
  io_queue_recursive: entries,
  io_service_time_recursive: entries,
  io_wait_time_recursive: entries,
  io_merged_recursive: entries,
  io_time_recursive: entries,
  sectors_recursive: entries,
});

/** `compat.CPUStats`. Times are nanoseconds. */
export const CPUStats = z.object({
  cpu_usage: z.object({
    total_usage: z.number(),
    percpu_usage: z.array(z.number()).optional(),
    usage_in_kernelmode: z.number(),
    usage_in_usermode: z.number(),
  }),
  system_cpu_usage: z.number().optional(),
  online_cpus: z.number().optional(),
  cpu: z.number(),
  throttling_data: z.object({ periods: z.number(), throttled_periods: z.number(), throttled_time: z.number() }),
});
export type CPUStats = z.output<typeof CPUStats>;

/** `container.MemoryStats`. */
export const MemoryStats = z.object({
  usage: z.number().optional(),
  max_usage: z.number().optional(),
  stats: z.record(z.string(), z.number()).optional(),
  failcnt: z.number().optional(),
  limit: z.number().optional(),
  commitbytes: z.number().optional(),
  commitpeakbytes: z.number().optional(),
  privateworkingset: z.number().optional(),
});

/** `container.NetworkStats`. */
export const NetworkStats = z.object({
  rx_bytes: z.number(),
  rx_packets: z.number(),
  rx_errors: z.number(),
  rx_dropped: z.number(),
  tx_bytes: z.number(),
  tx_packets: z.number(),
  tx_errors: z.number(),
  tx_dropped: z.number(),
  endpoint_id: z.string().optional(),
  instance_id: z.string().optional(),
});

/** `compat.StatsJSON`, with the ID in both spellings: the native tree's `Id` and Docker's `id`, of which each has one. */
export const StatsJSON = z.object({
  /** For Docker's clients, from version 1.52 on. */
  os_type: z.string().optional(),
  read: time,
  preread: time,
  pids_stats: z.object({ current: z.number().optional(), limit: z.number().optional() }),
  blkio_stats: BlkioStats,
  num_procs: z.number(),
  storage_stats: z.object({
    read_count_normalized: z.number().optional(),
    read_size_bytes: z.number().optional(),
    write_count_normalized: z.number().optional(),
    write_size_bytes: z.number().optional(),
  }),
  cpu_stats: CPUStats,
  precpu_stats: CPUStats,
  memory_stats: MemoryStats,
  name: z.string().optional(),
  Id: z.string().optional(),
  id: z.string().optional(),
  networks: z.record(z.string(), NetworkStats).optional(),
});
export type StatsJSON = z.output<typeof StatsJSON>;
