import type { ContainerRecord } from "../records/container_record.ts";
import { EngineError } from "../errors.ts";
import type { ContainerUsage } from "../ports/resource_port.ts";
import type { Context } from "./context.ts";
import { requireHost } from "../core.ts";
import { noCgroup } from "./failures.ts";
import { everySoOften } from "./ticks.ts";

/** Bytes of a page, on the machines whose pages are the largest. */
const LARGEST_PAGE = 64 << 10;

/** One look at a container. */
export interface ContainerStats {
  record: ContainerRecord;
  /** Absent while there is no process to look at. */
  usage?: ContainerUsage;
  /** Percent of one processor since the look before, or since the start. */
  cpuPercent: number;
  /** Percent of one processor since the start. */
  averageCPU: number;
}

/** Options of {@linkcode Containers.watchStats}. */
export interface StatsOptions {
  /** Which; by default those that run at each look. */
  names?: readonly string[];
  /** With no names: those that do not run as well. */
  all?: boolean;
  /** Go on until the signal; once by default. */
  stream?: boolean;
  /** Seconds from look to look. */
  interval: number;
  signal?: AbortSignal;
}

/** Looks at one container. */
export async function lookAt(
  context: Context,
  record: ContainerRecord,
  previous?: ContainerStats,
): Promise<ContainerStats> {
  const { resources } = requireHost(context.core);
  const { status, startedAt } = record.state;
  if (record.spec.cgroupsMode === "disabled") {
    throw noCgroup(`cannot run top on container ${record.id} as it did not create a cgroup`);
  }
  const read = status === "running" || status === "paused" ? await resources.usage(record) : undefined;
  const usage = read && { ...read, memory: { ...read.memory, limit: limitAsSet(record, read.memory.limit) } };
  if (usage === undefined) return { record, cpuPercent: 0, averageCPU: 0 };
  const averageCPU = percent(usage.cpu.total, usage.time - startedAt);
  const before = previous?.usage;
  // Less time than before: it was started again.
  const isSameLife = before !== undefined && before.cpu.total <= usage.cpu.total;
  const cpuPercent = isSameLife ? percent(usage.cpu.total - before.cpu.total, usage.time - before.time) : averageCPU;
  return { record, usage, cpuPercent, averageCPU };
}

/** Looks at several containers at regular times. The first look comes at once. */
export function watchStats(context: Context, options: StatsOptions): AsyncIterable<ContainerStats[]> {
  requireHost(context.core);
  const { interval, stream = false, signal } = options;
  if (!(interval >= 1)) {
    throw new EngineError("internal", "invalid interval, must be a positive number greater zero");
  }
  return (async function* () {
    let last = new Map<string, ContainerStats>();
    const look = async () => {
      const records = chosenContainers(context, options);
      const stats = await Promise.all(records.map((record) => lookAt(context, record, last.get(record.id))));
      last = new Map(stats.map((one) => [one.record.id, one]));
      return stats;
    };
    yield await look();
    if (!stream) return;
    for await (const _ of everySoOften(context.core.clock, interval * 1000, signal)) yield await look();
  })();
}

function chosenContainers(context: Context, { names = [], all = false }: StatsOptions): ContainerRecord[] {
  if (names.length > 0) return names.map((name) => context.records.resolve(name));
  const measured = context.records.all().filter(({ spec }) => spec.cgroupsMode !== "disabled");
  const records = measured.sort((a, b) => a.created - b.created);
  return all ? records : records.filter(({ state }) => state.status === "running" || state.status === "paused");
}

/** The kernel rounds a limit down to whole pages. */
function limitAsSet({ spec }: ContainerRecord, limit: number): number {
  const set = spec.resources.memory?.limit ?? 0;
  return set > limit && set - limit < LARGEST_PAGE ? set : limit;
}

/** Nanoseconds of processor time in a span of milliseconds. */
function percent(nanoseconds: number, ms: number): number {
  return nanoseconds > 0 && ms > 0 ? nanoseconds / (ms * 1e6) * 100 : 0;
}
