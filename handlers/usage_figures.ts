import type { ContainerUsage, InterfaceUsage } from "../lib/engine/ports/resource_port.ts";

/** The sums that reports tell of one look at a container. Bytes, unless said otherwise. */
export interface UsageFigures {
  /** Memory without the pages of files that the kernel would give up first. */
  used: number;
  limit: number;
  /** Percent of the limit. */
  percent: number;
  received: number;
  sent: number;
  read: number;
  written: number;
  /** A number of processes. */
  pids: number;
}

/** Sums up a look at a container. */
export function usageFigures({ memory, networks = {}, blockBytes, pids }: ContainerUsage): UsageFigures {
  const used = Math.max(0, memory.current - memory.inactiveFile);
  const traffic = (name: keyof InterfaceUsage) => Object.values(networks).reduce((sum, one) => sum + one[name], 0);
  const blocks = (op: string) =>
    blockBytes.filter((entry) => entry.op === op).reduce((sum, { value }) => sum + value, 0);
  return {
    used,
    limit: memory.limit,
    percent: memory.limit > 0 ? used / memory.limit * 100 : 0,
    received: traffic("rxBytes"),
    sent: traffic("txBytes"),
    read: blocks("Read"),
    written: blocks("Write"),
    pids: pids.current,
  };
}
