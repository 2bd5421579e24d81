import { join } from "node:path";
import type { BlockEntry } from "../../../engine/ports/resource_port.ts";
import { CgroupFiles } from "./cgroup_files.ts";
import type { CgroupUsage } from "./usage.ts";

const MICROSECOND = 1000;

/** Columns of `io.stat`, in Docker's words. */
const BYTES: Record<string, string> = { rbytes: "Read", wbytes: "Write", dbytes: "Discard" };
const OPERATIONS: Record<string, string> = { rios: "Read", wios: "Write", dios: "Discard" };

/**
 * Reads a cgroup of version 2 (kernel documentation, "Control Group v2"). `undefined` where it is gone.
 *
 * @param root The hierarchy's mount point
 * @param path The cgroup below it
 */
export async function readUsageV2(root: string, path: string): Promise<CgroupUsage | undefined> {
  const files = new CgroupFiles(join(root, path));
  const [cpu, current, peak, limit, memory, events, pids, pidsLimit, io] = await Promise.all([
    files.table("cpu.stat"),
    files.number("memory.current"),
    files.number("memory.peak"),
    files.number("memory.max"),
    files.table("memory.stat"),
    files.table("memory.events"),
    files.number("pids.current"),
    files.number("pids.max"),
    files.text("io.stat"),
  ]);
  // The kernel accounts processor time in every cgroup, whatever controllers it has.
  if (cpu === undefined) return undefined;
  return {
    cpu: {
      total: (cpu.usage_usec ?? 0) * MICROSECOND,
      user: (cpu.user_usec ?? 0) * MICROSECOND,
      kernel: (cpu.system_usec ?? 0) * MICROSECOND,
      periods: cpu.nr_periods ?? 0,
      throttledPeriods: cpu.nr_throttled ?? 0,
      throttledTime: (cpu.throttled_usec ?? 0) * MICROSECOND,
    },
    memory: {
      current: current ?? 0,
      inactiveFile: memory?.inactive_file ?? 0,
      ...peak !== undefined && { max: peak },
      failures: events?.max ?? 0,
      limit: limit ?? Infinity,
      details: memory ?? {},
    },
    pids: { current: pids ?? 0, limit: pidsLimit ?? Infinity },
    blockBytes: blockEntries(io, BYTES),
    blockOperations: blockEntries(io, OPERATIONS),
  };
}

/** Lines are `8:0 rbytes=4096 wbytes=0 …`; a device without figures is only a number. */
function blockEntries(text = "", columns: Record<string, string>): BlockEntry[] {
  return text.split("\n").flatMap((line) => {
    const [device = "", ...figures] = line.trim().split(" ");
    const [major, minor] = device.split(":").map(Number);
    return figures.flatMap((figure): BlockEntry[] => {
      const [name = "", value] = figure.split("=");
      const op = columns[name];
      if (op === undefined || major === undefined || minor === undefined) return [];
      return [{ major, minor, op, value: Number(value) }];
    });
  });
}
