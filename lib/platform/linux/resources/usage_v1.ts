import { join } from "node:path";
import type { BlockEntry } from "../../../engine/ports/resource_port.ts";
import { CgroupFiles } from "./cgroup_files.ts";
import type { CgroupUsage } from "./usage.ts";

/** Nanoseconds of a clock tick as the kernel tells user space of it (`USER_HZ` is 100 everywhere). */
const TICK = 10_000_000;

/** Files with the figures of block devices, by preference: a scheduler's file is there only while it runs a disk. */
const BYTES = ["blkio.throttle.io_service_bytes_recursive", "blkio.throttle.io_service_bytes"];
const OPERATIONS = ["blkio.throttle.io_serviced_recursive", "blkio.throttle.io_serviced"];

/**
 * Reads the cgroups of version 1 (kernel documentation, "Control Groups version 1"). `undefined` where they are gone.
 *
 * @param root The folder of the controllers' mount points
 * @param path The cgroup below each of them
 */
export async function readUsageV1(root: string, path: string): Promise<CgroupUsage | undefined> {
  const files = (controller: string) => new CgroupFiles(join(root, controller, path));
  const [cpuacct, cpu, memory, pids] = [files("cpuacct"), files("cpu"), files("memory"), files("pids")];
  const [total, perCPU, times, throttling, current, max, failures, limit, details, count, countLimit] = await Promise
    .all([
      cpuacct.number("cpuacct.usage"),
      cpuacct.text("cpuacct.usage_percpu"),
      cpuacct.table("cpuacct.stat"),
      cpu.table("cpu.stat"),
      memory.number("memory.usage_in_bytes"),
      memory.number("memory.max_usage_in_bytes"),
      memory.number("memory.failcnt"),
      memory.number("memory.limit_in_bytes"),
      memory.table("memory.stat"),
      pids.number("pids.current"),
      pids.number("pids.max"),
    ]);
  // A machine may lack a controller, but not all of them.
  if (total === undefined && current === undefined && count === undefined) return undefined;
  const [blockBytes, blockOperations] = await Promise.all([
    blockEntries(files("blkio"), BYTES),
    blockEntries(files("blkio"), OPERATIONS),
  ]);
  return {
    cpu: {
      total: total ?? 0,
      user: (times?.user ?? 0) * TICK,
      kernel: (times?.system ?? 0) * TICK,
      ...perCPU !== undefined && { perCPU: perCPU.trim().split(/\s+/).map(Number) },
      periods: throttling?.nr_periods ?? 0,
      throttledPeriods: throttling?.nr_throttled ?? 0,
      throttledTime: throttling?.throttled_time ?? 0,
    },
    memory: {
      current: current ?? 0,
      inactiveFile: details?.total_inactive_file ?? 0,
      ...max !== undefined && { max },
      failures: failures ?? 0,
      limit: limit ?? Infinity,
      details: details ?? {},
    },
    pids: { current: count ?? 0, limit: countLimit ?? Infinity },
    blockBytes,
    blockOperations,
  };
}

/** Lines are `8:0 Read 4096`, and a last one of the total. */
async function blockEntries(files: CgroupFiles, names: readonly string[]): Promise<BlockEntry[]> {
  for (const name of names) {
    const text = await files.text(name);
    if (text === undefined) continue;
    return text.split("\n").flatMap((line): BlockEntry[] => {
      const [, major, minor, op, value] = /^(\d+):(\d+) (\w+) (\d+)$/.exec(line) ?? [];
      if (op === undefined) return [];
      return [{ major: Number(major), minor: Number(minor), op, value: Number(value) }];
    });
  }
  return [];
}
